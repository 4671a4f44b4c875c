'use strict';

const pino = require('pino');

const { createBursts } = require('./bursts');
const { createRedact, secretsOf } = require('./redact');

/**
 * @param {import('../config/config').Config} config
 * @param {import('pino').DestinationStream} [destination] standard output when left out
 */
function createLog(config, destination = pino.destination({ sync: true })) {
  const redact = createRedact(secretsOf(config));
  const options = {
    level: config.LOG_LEVEL,
    base: { pid: process.pid, port: config.PORT },
    hooks: { streamWrite: redact },
  };
  return pino.pino(options, destination);
}

/** @typedef {import('pino').Logger} Log */

/**
 * Turns events into log lines: one for an event, and one for a burst of failures of a kind; metrics count
 * each failure.
 * @param {import('../core/events').Events} events
 * @param {Log} log
 * @returns {() => void} writes the lines that are still gathered
 */
function logEvents(events, log) {
  const { add, flush } = createBursts();
  logFailures(events, log, add);
  events.on('databaseConnected', (lane, server) => log.info({ lane, server }, 'database connected'));
  events.on('versionChanged', (version, source) => log.info({ version, source }, 'serving data version'));
  events.on('exported', (outcome, products, ms) => log.info({ outcome, products, ms: Math.round(ms) }, 'export ended'));
  events.on('draining', (signal) => log.info({ signal }, 'draining'));
  return flush;
}

/**
 * @param {import('../core/events').Events} events
 * @param {Log} log
 * @param {(kind: string, write: (count: number) => void) => void} add
 */
function logFailures(events, log, add) {
  events.on('handlerFailed', (error, requestId, path) =>
    add(`failed ${placeOf(error)}`, (count) =>
      log.error({ err: error, requestId, path, count }, 'a request failed unexpectedly'),
    ),
  );
  events.on('databaseLost', (lane, error, server) =>
    add(`lost ${server} ${lane}`, (count) =>
      log.warn({ lane, server, reason: error.message, count }, 'database connection lost; reconnecting'),
    ),
  );
  events.on('versionUnread', (lane, error, server) =>
    add(`unread ${server}`, (count) =>
      log.warn({ lane, server, reason: error.message, count }, 'data version not read; trying again'),
    ),
  );
  events.on('migrationsMissing', (missing) => log.error({ missing }, 'the database lacks migrations: run prepare'));
  events.on('stockFailed', (step, error) =>
    add(`stock ${step}`, (count) => log.warn({ step, reason: error.message, count }, 'stock waits; trying again')),
  );
  events.on('searchStale', (error) =>
    add('search stale', (count) =>
      log.warn({ reason: error.message, count }, 'writes not read for searches; trying again'),
    ),
  );
  events.on('searchFull', (written) =>
    log.warn(written, 'searches see no further writes: too much was written since the load. Load the data again'),
  );
  events.on('databaseRefused', ({ message: reason, code }, server) =>
    add(`refused ${server}`, (count) =>
      log.warn({ server, reason, code, count }, 'database connection refused; check DATABASE_URL'),
    ),
  );
  events.on('redisFailed', (error) =>
    add('redis', (count) => log.warn({ reason: error.message, count }, 'Redis failed; serving without it')),
  );
  events.on('breakerChanged', (state) =>
    add(`breaker ${state}`, (count) => log.info({ state, count }, 'Redis breaker changed')),
  );
  events.on('corrupted', (key) =>
    add('corrupted', (count) => log.warn({ key, count }, 'foreign value in Redis; deleted')),
  );
  events.on('shed', (reason, problem) =>
    add(reason, (count) =>
      log.warn(
        { reason, detail: problem.message, cause: /** @type {Error | undefined} */ (problem.cause)?.message, count },
        'answering 503',
      ),
    ),
  );
  events.on('spansExported', (outcome, _count, error) => {
    if (outcome === 'lost')
      add('spans', (count) => log.warn({ reason: error?.message, count }, 'the collector did not take traces'));
  });
  events.on('readsMoved', (server) =>
    add(`reads ${server}`, (count) => log.info({ server, count }, 'database reads moved')),
  );
  events.on('connectionsShort', (text) => log.warn(text));
}

/** Errors of one place are one kind, whatever their messages. @param {Error | undefined} error */
const placeOf = (error) => error?.stack?.match(/\n\s+at (.*)/)?.[1] ?? String(error);

exports.createLog = createLog;
exports.logEvents = logEvents;
