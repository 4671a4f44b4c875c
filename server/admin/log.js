'use strict';

const pino = require('pino');

const { EVENTS } = require('../events');

/** Floods (a dead Redis, an overload) are logged once per this time and kind; metrics count them all. */
const QUIET_MS = 10000;

/** @param {string} level */
const createLog = (level) => pino.pino({ level, base: { pid: process.pid } });

/** @typedef {import('pino').Logger} Log */

/**
 * Turns events into log lines.
 * @param {import('../events').Events} events
 * @param {Log} log
 */
function logEvents(events, log) {
  const seldom = createSeldom();
  events.on(EVENTS.handlerFailed, (error, requestId, path) =>
    log.error({ err: error, requestId, path }, 'a request failed unexpectedly'),
  );
  events.on(EVENTS.databaseConnected, (lane) => log.info({ lane }, 'database connected'));
  events.on(EVENTS.databaseLost, (lane, error) =>
    log.warn({ lane, reason: error.message }, 'database connection lost; dialing again'),
  );
  events.on(EVENTS.databaseRefused, (error) =>
    seldom('refused', () =>
      log.warn({ reason: error.message, code: error.code }, 'no database; check DATABASE_URL'),
    ),
  );
  events.on(EVENTS.redisFailed, (error) =>
    seldom('redis', () =>
      log.warn({ reason: error.message }, 'Redis failed; reading on without it'),
    ),
  );
  events.on(EVENTS.breakerChanged, (state) =>
    seldom(`breaker ${state}`, () => log.info({ state }, 'Redis breaker')),
  );
  events.on(EVENTS.poisoned, (key) => log.warn({ key }, 'foreign value in Redis; deleted'));
  events.on(EVENTS.shed, (reason, problem) =>
    seldom(reason, () =>
      log.warn({ reason, detail: problem.message, cause: problem.cause?.message }, 'answering 503'),
    ),
  );
  events.on(EVENTS.readsMoved, (server) =>
    seldom(`reads ${server}`, () => log.info({ server }, 'database reads')),
  );
  events.on(EVENTS.connectionsShort, (text) => log.warn(text));
  events.on(EVENTS.versionChanged, (version, source) =>
    log.info({ version, source }, 'serving data version'),
  );
  events.on(EVENTS.draining, (signal) => log.info({ signal }, 'draining'));
}

/** @returns {(kind: string, write: () => void) => void} writes a kind at most once per QUIET_MS */
function createSeldom() {
  /** @type {Map<string, number>} */
  const lastMs = new Map();
  return (kind, write) => {
    const nowMs = performance.now();
    if (nowMs - (lastMs.get(kind) ?? -Infinity) < QUIET_MS) return;
    lastMs.set(kind, nowMs);
    write();
  };
}

exports.createLog = createLog;
exports.logEvents = logEvents;
