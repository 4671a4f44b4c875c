'use strict';

const { promisify } = require('node:util');
const { gzip } = require('node:zlib');

const { toBody, toBytes } = require('./body');
const { createShortGzip } = require('../internals/node/short-gzip');

/** @typedef {import('./body').Body} Body */

const gzipInPool = promisify(gzip);

/** Below this a gzip takes well under a millisecond, less than a trip to the thread pool under load. */
const SYNC_MAX_BYTES = 32 * 1024;

const shortGzip = createShortGzip(SYNC_MAX_BYTES);

/**
 * Compresses a body once; the result stays with its entry.
 * @param {import('./entry').Entry} entry
 * @param {(entry: import('./entry').Entry) => void} grown called when the entry takes more memory
 * @returns {Body | Promise<Body>}
 */
function compressed(entry, grown) {
  if (entry.gzip) return entry.gzip;
  if (entry.body.length <= SYNC_MAX_BYTES) {
    entry.gzip = toBody(shortGzip(toBytes(entry.body))); // a copy, as most of its memory is unused
    grown(entry);
    return entry.gzip;
  }
  const running = gzipInPool(toBytes(entry.body)).then(
    (bytes) => {
      entry.gzip = toBody(bytes);
      grown(entry);
      return entry.gzip;
    },
    (error) => {
      entry.gzip = null;
      throw error;
    },
  );
  entry.gzip = running;
  return running;
}

exports.compressed = compressed;
