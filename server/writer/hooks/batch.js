'use strict';

const { cursorIn, cursorText } = require('../../core/commit-cursor');
const { changesText } = require('../feed/piece');
const { isWanted } = require('./kinds');

/** @typedef {import('../../core/commit-cursor').Cursor} Cursor @typedef {import('../feed/log-reader').Head} Head */
/**
 * @typedef {object} Hook a row of db/writes/hooks.sql
 * @property {number} id
 * @property {string} url
 * @property {string[]} types
 * @property {boolean} allow_private
 * @property {string} cursor after the last change that was received
 * @property {string | null} bound the last commit, when the request under way was tried first
 * @property {string | null} paused
 * @property {number} failures
 * @property {number} era
 * @property {string} seq of the last commit
 * @property {boolean} is_due
 * @property {string | null} test
 * @property {number} behind_s
 */
/**
 * @typedef {object} Batch what a request has
 * @property {string} bound
 * @property {string} next cursor after it
 * @property {string | null} id of the request, and cursor of its last change; null: it has none
 * @property {(at: string) => string} body
 */

const MAX_CHANGES = 100;
/** Changes read at once, where a hook wants only some. */
const MAX_READ = 1000;

/**
 * The next changes for a hook. They follow from its cursor, its types and `bound` alone: a repeat by any writer is the same request.
 * @param {Hook} hook @param {Head} head @param {Pick<import('../feed/feed').Feed, 'read'>} feed
 * @returns {Promise<Batch>}
 * @throws {import('../../core/errors').Problem} 410 when the log does not reach back so far
 */
async function batchOf({ cursor, types, ...hook }, head, feed) {
  const from = /** @type {Cursor} */ (cursorIn(cursor));
  const begun = cursorIn(hook.bound ?? '');
  const end = begun && begun.era === head.era && begun.seq <= head.seq ? begun : { ...head, index: null };
  const bound = cursorText(end);
  if (from.era !== head.era || from.seq > end.seq) return forked(bound);
  const piece = await feed.read(from, types.length === 0 ? MAX_CHANGES : MAX_READ, end);
  const wanted = piece.changes.filter(({ kind }) => isWanted(types, kind));
  const changes = wanted.slice(0, MAX_CHANGES);
  const id = changes.at(-1)?.cursor ?? null;
  const next = id && wanted.length > changes.length ? id : cursorText(piece.next);
  return { bound, next, id, body: () => changesText(changes, next, bound) };
}

/** The log has other changes than those before the cursor: the receiver reads all again. @param {string} bound @returns {Batch} */
const forked = (bound) => ({
  bound,
  next: bound,
  id: bound,
  body(at) {
    const kind = 'catalog.forked';
    return changesText([{ cursor: bound, kind, json: JSON.stringify({ cursor: bound, kind, at }) }], bound, bound);
  },
});

exports.batchOf = batchOf;
