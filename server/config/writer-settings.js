'use strict';

const { count, dsn, host, port } = require('./values');

/** What the writer has beside the settings of a worker. */
const WRITER_SETTINGS = {
  WRITE_HOST: host({ default: 'localhost', desc: 'address of its listener, as HOST; never a public one' }),
  WRITE_PORT: port({ default: 7030, desc: 'port of its listener' }),
  WRITE_ADMIN_PORT: port({ default: 7031, desc: 'port of its admin listener, at ADMIN_HOST' }),
  WRITE_DATABASE_URL: dsn({ desc: 'PostgreSQL, role catalog_writer' }),
  WRITE_QUEUE: count({ default: 1000, desc: 'writes that may wait; further ones are refused' }),
  WRITE_QUEUE_BYTES: count({ default: 33_554_432, desc: 'bytes of their bodies; further ones are refused' }),
};

exports.WRITER_SETTINGS = WRITER_SETTINGS;
