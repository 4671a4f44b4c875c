'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const { unavailable } = require('../../core/errors');
const { STALLED_READER_SECONDS } = require('../../core/policy');
const { MAX_GROUP } = require('../writes/write-queue');
const { preconditionRequired } = require('../errors');
const { requireType } = require('./body');
const { BulkLines } = require('./bulk-lines');
const { HeldAnswers } = require('./held-answers');
const { asWrite } = require('./limits');
const { inOrder, linesOf } = require('./lines');
const { idempotencyOf, whoOf } = require('./write-headers');

/** @typedef {import('../routes').Parts} Parts @typedef {import('./products').Handler} Handler */
/** @typedef {import('express').Request} Request @typedef {import('express').Response} Response */

const TYPE = 'application/x-ndjson';
/** One group is written while the next one gathers. */
const MOST = { items: 2 * MAX_GROUP, size: 512 * 1024 };
/** A request holds at most so much: lines under way, and one that is being read. */
const HELD_BYTES = 2 ** 21;
/** How long a client whose request was given up may go on sending it. */
const DISCARD_MS = STALLED_READER_SECONDS * 1000;
const NO_BYTES = Buffer.alloc(0);

/**
 * POST /bulk: answers lines while it reads further ones, and reads no more than it can write and hold for the client.
 * @param {Parts} parts @returns {Handler}
 */
const bulk = (parts) => (req, res, begin) =>
  asWrite(parts, req, (key) => {
    requireType(req, TYPE);
    const [who, idempotency] = [whoOf(req, key), idempotencyOf(req, NO_BYTES)];
    if (!idempotency) throw preconditionRequired('Send an Idempotency-Key, with which a request that was cut goes on.');
    const work = async () => {
      if (req.headers.expect) res.writeContinue();
      // Node's limit for a whole request is for short ones.
      res.setTimeout(STALLED_READER_SECONDS * 1000);
      // The connection ends with the reply, or the rest of a body that was given up would be read to its end.
      begin(200, { 'Content-Type': `${TYPE}; charset=utf-8`, Connection: 'close' });
      const lines = new BulkLines({ parts, req, who, key: idempotency.key });
      const read = linesOf(req, lines.skip);
      const holder = { memory: parts.limits.answers, keyId: key.id };
      await pour(req, res, answersTo(lines, paced(parts, read, key.id)), { ...holder, discard: () => discard(read) });
      return { status: 200, body: null };
    };
    return parts.limits.bytes.hold(key.id, HELD_BYTES, () => parts.once(key.id, idempotency, work));
  });

/**
 * The lines as fast as the key may write.
 * @param {Parts} parts @param {AsyncGenerator<Buffer, void>} lines @param {string} keyId
 */
async function* paced({ limits, state }, lines, keyId) {
  for await (const line of lines) {
    if (state.draining) throw unavailable('The writer stops.');
    for (let ms = limits.rate.take(keyId); ms > 0; ms = limits.rate.take(keyId)) await pause(ms);
    yield line;
  }
}

/**
 * The reply, in pieces.
 * @param {BulkLines} lines @param {AsyncGenerator<Buffer, void>} read
 */
async function* answersTo(lines, read) {
  const answers = inOrder(
    read,
    (line) => lines.write(line),
    (line) => line.length,
    MOST,
  );
  try {
    for await (const answer of answers) {
      yield lines.shown(answer);
      if (lines.isOver) return;
    }
    yield lines.end();
  } catch (error) {
    yield lines.givenUp(error);
  }
}

/** Reads lines and drops them. @param {AsyncGenerator<Buffer, void>} lines */
async function discard(lines) {
  const deadlineMs = performance.now() + DISCARD_MS;
  try {
    while (performance.now() < deadlineMs && !(await lines.next()).done);
  } catch {
    // The connection ended, or the line is too long. Nothing more is read in either case.
  }
}

/**
 * Sends pieces as the client reads them, and none to one that has left. One that reads nothing gets the reason as the last piece, once it
 * has sent all.
 * @param {Request} req @param {Response} res @param {AsyncGenerator<string, void>} pieces
 * @param {{ memory: import('./limits').Share, keyId: string, discard: () => Promise<void> }} more discard: reads the rest of the request
 */
async function pour(req, res, pieces, { discard: discardRest, ...holder }) {
  const left = new AbortController();
  const leave = () => left.abort();
  req.socket.once('close', leave);
  const answers = new HeldAnswers(res, { ...holder, left: left.signal });
  try {
    for (let next = await pieces.next(); !next.done;) {
      if (req.socket.destroyed) return;
      const wasGivenUp = answers.isGivenUp;
      const problem = await answers.add(next.value);
      next = problem && !wasGivenUp ? await pieces.throw(problem) : await pieces.next();
    }
    if (answers.isGivenUp) await discardRest();
    await answers.sent();
    res.end();
  } finally {
    answers.close();
    await pieces.return();
    req.socket.off('close', leave);
  }
}

exports.bulk = bulk;
