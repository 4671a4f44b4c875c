'use strict';

const { createHash } = require('node:crypto');
const { malformedParameter } = require('../../core/errors');

const PREFIX = 'c1.';
const DIGEST_BYTES = 8;
const BYTES = DIGEST_BYTES + 8;
const FORM = new RegExp(`^${PREFIX.replace('.', '\\.')}[\\w-]{${Math.ceil((BYTES * 4) / 3)}}$`);

/** @typedef {{ id: number, place: number }} Last product of a page: its id, and its rank in the order or its segment */

/** @param {string} identity of the query */
const digestOf = (identity) => createHash('sha256').update(identity).digest().subarray(0, DIGEST_BYTES);

/** @param {string} identity of the query and sort @param {Last} last @returns {string} */
function writeCursor(identity, { id, place }) {
  const bytes = Buffer.alloc(BYTES);
  bytes.set(digestOf(identity));
  bytes.writeInt32BE(id, DIGEST_BYTES);
  bytes.writeInt32BE(place, DIGEST_BYTES + 4);
  return PREFIX + bytes.toString('base64url');
}

/**
 * @param {string} identity of the query and sort @param {string} cursor
 * @returns {Last}
 * @throws {import('../../core/errors').Problem} 400 when it is not one, or that of another query
 */
function readCursor(identity, cursor) {
  if (!FORM.test(cursor)) throw malformedParameter('after must be the value of next of an earlier reply.');
  const bytes = Buffer.from(cursor.slice(PREFIX.length), 'base64url');
  if (!bytes.subarray(0, DIGEST_BYTES).equals(digestOf(identity))) {
    throw malformedParameter('after belongs to another query or sort. Start again without it.');
  }
  return { id: bytes.readInt32BE(DIGEST_BYTES), place: bytes.readInt32BE(DIGEST_BYTES + 4) };
}

exports.writeCursor = writeCursor;
exports.readCursor = readCursor;
