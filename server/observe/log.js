'use strict';

const pino = require('pino');

const MARK = '[redacted]';
/** Shorter ones would redact ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** scheme://user:password@ in any text, as connection strings have it. Bounded: otherwise the match is quadratic for a long path. */
const URL_PASSWORD = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"']*):[^\s@/"']+@/gi;
/** password=… of a libpq string. */
const KEYWORD = /\b(password|passwd|pwd)=[^\s&"'\\]+/gi;

/** The password of a setting, before its host or among its parameters. */
const URL_SECRET = /:\/\/[^:/@]*:([^@/]+)@|[?&]password=([^&#]+)/g;

/**
 * Texts that must never be in a log line: the passwords inside the settings, and keys.
 * @param {import('../config/config').Config} config
 * @returns {string[]}
 */
function secretsOf(config) {
  const urls = [config.DATABASE_URL, config.REDIS_URL, config.OTLP_TRACES_URL];
  const passwords = urls.flatMap((url) => [...url.matchAll(URL_SECRET)].map(([, ...found]) => found.join('')));
  const known = [...passwords, ...passwords.map(decoded), config.NEW_RELIC_LICENSE_KEY];
  return [...new Set(known)].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

/** @param {string} text percent-encoded */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Works on the finished line of JSON, not on named fields: a driver may put a connection string into any message.
 * @param {string[]} secrets
 * @returns {(line: string) => string}
 */
function createRedact(secrets) {
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  // The longest first, and all before the patterns: a secret that is replaced in part would leave its rest.
  const known = [...new Set(written)].sort((a, b) => b.length - a.length);
  return (line) => {
    let clean = line;
    for (const secret of known) clean = clean.replaceAll(secret, MARK);
    return clean.replace(URL_PASSWORD, `$1:${MARK}@`).replace(KEYWORD, `$1=${MARK}`);
  };
}

/** A burst is over when this has passed since its first event; then its one line is written. */
const GATHER_MS = 1000;
/** While a flood lasts (a dead Redis, an overload) one line is written in this time. */
const QUIET_MS = 10000;
/** More kinds than any failure has: beyond them (errors that all differ) the rest is one kind. */
const MAX_KINDS = 100;

/**
 * Turns a burst of events of one kind into one line with their number and the details of the first.
 * @returns {{ add: (kind: string, write: (count: number) => void) => void, flush: () => void }}
 */
function createBursts() {
  /** @type {Map<string, { count: number, write: (count: number) => void, timer: NodeJS.Timeout }>} */
  const gathering = new Map();

  /** @param {string} kind */
  function writeOut(kind) {
    const burst = gathering.get(kind);
    gathering.delete(kind);
    if (!burst?.count) return;
    clearTimeout(burst.timer);
    burst.write(burst.count);
    const timer = setTimeout(writeOut, QUIET_MS, kind).unref();
    gathering.set(kind, { count: 0, write: burst.write, timer });
  }

  return {
    add(wanted, write) {
      const kind = gathering.has(wanted) || gathering.size < MAX_KINDS ? wanted : 'other';
      const burst = gathering.get(kind);
      if (!burst) {
        const timer = setTimeout(writeOut, GATHER_MS, kind).unref();
        gathering.set(kind, { count: 1, write, timer });
        return;
      }
      if (burst.count === 0) burst.write = write;
      burst.count += 1;
    },
    /** Writes what is gathered now: the worker stops. */
    flush() {
      for (const [kind, { timer }] of [...gathering]) {
        clearTimeout(timer);
        writeOut(kind);
      }
    },
  };
}

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
  events.on('hookPaused', (hook, reason, answer) => log.error({ hook, reason, answer }, 'a webhook was paused'));
  events.on('planFailed', (error) =>
    add('plan', (count) => log.warn({ reason: error.message, count }, 'planned visibility waits; trying again')),
  );
  events.on('hooksFailed', (error) =>
    add('hooks', (count) => log.warn({ reason: error.message, count }, 'webhooks wait; trying again')),
  );
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

exports.createBursts = createBursts;
exports.createLog = createLog;
exports.logEvents = logEvents;
