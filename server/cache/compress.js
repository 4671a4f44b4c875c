'use strict';

const { promisify } = require('node:util');
const { gzip, gzipSync } = require('node:zlib');

const gzipInPool = promisify(gzip);

/** Below this a gzip takes well under a millisecond, less than a trip to the thread pool under load. */
const SYNC_MAX_BYTES = 32 * 1024;

/**
 * Compresses a body once; the result stays with its entry.
 * @param {import('./entry').Entry} entry
 * @param {(entry: import('./entry').Entry) => void} grown told when the entry takes more memory
 * @returns {Buffer | Promise<Buffer>}
 */
function compressed(entry, grown) {
  if (entry.gzip) return entry.gzip;
  if (entry.body.length <= SYNC_MAX_BYTES) {
    const bytes = gzipSync(entry.body);
    entry.gzip = bytes;
    grown(entry);
    return bytes;
  }
  const running = gzipInPool(entry.body).then(
    (bytes) => {
      entry.gzip = bytes;
      grown(entry);
      return bytes;
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
