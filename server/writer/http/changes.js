'use strict';

const { queryIn } = require('../../http/params/known-names');
const { parameter, textOf } = require('../../http/params/params');
const { Problem } = require('../../core/errors');
const { cursorText } = require('../../core/commit-cursor');
const { changesText } = require('../feed/piece');
const { Stream } = require('../feed/stream');
const { preference } = require('./prefer');

/** @typedef {import('../routes').Parts} Parts @typedef {import('./products').Handler} Handler @typedef {import('express').Request} Request */

const LIMIT = 1000;
const MAX_LIMIT = 10_000;
const MAX_WAIT_SECONDS = 30;

/** @param {Request} req */
function waitSecondsOf(req) {
  const seconds = preference(req, 'wait') ?? '';
  return /^\d+$/.test(seconds) ? Math.min(MAX_WAIT_SECONDS, Number(seconds)) : 0;
}

/** @param {number} waitSeconds @returns {Record<string, string>} */
const appliedOf = (waitSeconds) => (waitSeconds > 0 ? { 'Preference-Applied': `wait=${waitSeconds}` } : {});

/** GET /changes?after=&limit= @param {Parts} parts @returns {Handler} */
const changes =
  ({ keys, feed }) =>
  async (req, res) => {
    await keys.require(req, 'changes');
    const query = queryIn(req, ['after', 'limit']);
    const limit = parameter(query, 'limit', MAX_LIMIT) ?? LIMIT;
    const head = await feed.head();
    const piece = await feed.read(feed.placeOf(textOf(query, 'after'), head), limit, head);
    const waitSeconds = waitSecondsOf(req);
    const isHeld = waitSeconds > 0 && piece.changes.length === 0;
    const found = isHeld ? await held(feed, { piece, head }, { limit, waitSeconds, res }) : { piece, head };
    if (isHeld) await keys.require(req, 'changes'); // it may have been revoked
    return {
      status: 200,
      headers: appliedOf(waitSeconds),
      body: changesText(found.piece.changes, cursorText(found.piece.next), cursorText(found.head)),
    };
  };

/** @typedef {{ piece: import('../feed/piece').Piece, head: import('../feed/log-reader').Head }} Found */

/**
 * @param {import('../feed/feed').Feed} feed @param {Found} found without changes
 * @param {{ limit: number, waitSeconds: number, res: import('express').Response }} options
 * @returns {Promise<Found>}
 */
function held(feed, found, { limit, waitSeconds, res }) {
  feed.admit();
  const left = new AbortController();
  res.once('close', () => left.abort());
  const deadlineMs = performance.now() + waitSeconds * 1000;
  return feed.hold(() => waitFor(feed, found, { limit, deadlineMs, signal: left.signal }));
}

/**
 * @param {import('../feed/feed').Feed} feed @param {Found} found without changes
 * @param {{ limit: number, deadlineMs: number, signal: AbortSignal }} options signal: of a reader who left
 * @returns {Promise<Found>} with changes, unless the time is over first
 */
async function waitFor(feed, found, { limit, deadlineMs, signal }) {
  const head = await feed.nextHead(found.head, deadlineMs - performance.now(), signal);
  const from = cursorText(found.piece.next);
  const piece = head === found.head ? found.piece : await feed.read(feed.placeOf(from, head), limit, head);
  const isOver = signal.aborted || feed.ended.aborted || performance.now() >= deadlineMs;
  return piece.changes.length > 0 || isOver
    ? { piece, head }
    : waitFor(feed, { piece, head }, { limit, deadlineMs, signal });
}

/** GET /changes/stream?after= with Last-Event-ID @param {Parts} parts @returns {Handler} */
const changesStream =
  ({ keys, feed }) =>
  async (req) => {
    await keys.require(req, 'changes');
    const after = textOf(queryIn(req, ['after']), 'after');
    const head = await feed.head();
    const place = feed.placeOf(String(req.headers['last-event-id'] ?? '') || after, head);
    await feed.read(place, 1, head); // 410 before the stream begins
    feed.admit();
    const isAllowed = (/** @type {number} */ keptMs) => keys.require(req, 'changes', keptMs).then(() => true, isAway);
    return {
      status: 200,
      headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' },
      body: '',
      follow: (res) => feed.hold(() => new Stream(res, { feed, place, head, isAllowed }).run()),
    };
  };

/** @param {unknown} error */
const isAway = (error) => error instanceof Problem && error.status === 503;

exports.changes = changes;
exports.changesStream = changesStream;
