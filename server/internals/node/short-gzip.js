'use strict';

const { constants, createGzip } = require('node:zlib');

const { toBody } = require('../../cache/body');

/**
 * 96 KB of state in place of 256, for less CPU and less for malloc to cut up, and a search that ends sooner than zlib's
 * own (6): 619 bytes in place of 601 of 2,893 in 16 us of CPU in place of 26.
 */
const FOR_SHORT_BODIES = { windowBits: 14, memLevel: 6, level: 3 };

/**
 * Compresses short bodies with one zlib state for all of them. gzipSync() makes a stream, a state and 16 KB of room for each:
 * 16 us of CPU in place of 12 once it is compiled, and until then so much to collect that a worker that is asked for 500 cold
 * pages a second ran a full collection twice a second for its first 20 s. `_handle` and `_writeState` are where Node's
 * own synchronous functions do it, and are not documented: tests/unit/short-gzip.test.js holds the bytes against gzipSync's.
 * @param {number} maxBytes that a body may have
 * @returns {(bytes: Buffer) => import('../../cache/body').Body}
 */
function createShortGzip(maxBytes) {
  const { _handle: state, _writeState: left } = /** @type {any} */ (createGzip(FOR_SHORT_BODIES));
  // Twice what goes in is never too small, and leaves so much unused that toBody() copies what it returns.
  const room = Buffer.allocUnsafeSlow(2 * maxBytes);
  return (bytes) => {
    state.reset();
    state.writeSync(constants.Z_FINISH, bytes, 0, bytes.length, room, 0, room.length);
    const [unused] = left;
    return toBody(room.subarray(0, room.length - unused));
  };
}

exports.FOR_SHORT_BODIES = FOR_SHORT_BODIES;
exports.createShortGzip = createShortGzip;
