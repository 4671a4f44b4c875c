'use strict';

const { str } = require('envalid');

const { count, dsn, host, port } = require('./values');

/** The writer has these beside the settings of a worker. */
const WRITER_SETTINGS = {
  WRITE_HOST: host({ default: 'localhost', desc: 'address of its listener, as HOST; never a public one' }),
  WRITE_PORT: port({ default: 7030, desc: 'port of its listener' }),
  WRITE_ADMIN_PORT: port({ default: 7031, desc: 'port of its admin listener, at ADMIN_HOST' }),
  WRITE_DATABASE_URL: dsn({ desc: 'PostgreSQL, role catalog_writer' }),
  WRITE_DURABILITY: str({
    default: 'local',
    choices: ['local', 'replicated'],
    desc: 'replicated: writes are refused while no standby confirms commits',
  }),
  WRITE_QUEUE: count({
    default: 1000,
    desc: 'writes that may wait, half of them of one key; further ones are refused',
  }),
  WRITE_QUEUE_BYTES: count({ default: 33_554_432, desc: 'bytes of their bodies, half of them of one key' }),
  WRITE_RATE: count({
    default: 2000,
    desc: 'writes a second of one key; further ones are refused, lines of bulk wait',
  }),
};

exports.WRITER_SETTINGS = WRITER_SETTINGS;
