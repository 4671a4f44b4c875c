'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { MAX_BODY_BYTES } = require('../server/errors');
const { EXPOSED, JSON_POLICY } = require('../server/http/headers');
const { keepIdleLines } = require('./keep-idle');
const { problems } = require('./problems');
const { rateLimitLines, rateLimitZone } = require('./rate-limit');
const { oneMachine } = require('./retries');
const { hstsMap, tlsLines } = require('./tls');
const { serverLines } = require('./upstreams');

/**
 * 1,024 on two workers: at 3,000 replies a second nobody waits longer than 0.35 s, and a thousand callers who ask for one
 * cold reply at once all get it (with 256, 331 of them were refused).
 */
const inFlightPerWorker = 512;
/**
 * On one machine with the workers, at three times the breaking point: p99 of what is answered 0.35 to 0.51 s, where it was 0.45 to
 * 0.62 without, and 822 of 110,000 requests found no connection. Only root may ask for it.
 */
const priority = -5;
/** Cached replies that one process keeps open; fewer where descriptors are few, for connections come first. */
const maxCachedFiles = 4000;
/** The list of a fleet changes without this file. */
const fleetWorkers = 8;

const template = path.join(__dirname, 'nginx.conf.template');
/** Put in and not included: a deploy lays down another release's file, and nginx would read that beside the older nginx.conf. */
const cacheMaps = path.join(__dirname, 'cache-maps.conf');

/**
 * @typedef {object} NginxSettings
 * @property {number} port public
 * @property {string[]} [workers] `127.0.0.1:3030`
 * @property {string} [upstreams] instead: absolute, a file of renderUpstreams
 * @property {string} work absolute: pid, and folders of temporary files, in which the nginx workers' account writes
 * @property {string} [cache] absolute: where cached replies lie, best in memory; nginx makes it. Default: in `work`
 * @property {string} logs absolute
 * @property {number} openFiles limit of one process
 * @property {import('./tls').Tls} [tls] serves HTTPS and HTTP/2 as well
 * @property {number} [rateLimit] requests a second of one client address; 0: no limit
 * @property {import('./retries').Retries} [retries]
 * @property {boolean} [ipv6Loopback] listens on [::1] too; nginx does not start where the machine has none
 * @property {boolean} [keepsIdle] see keep-idle.js
 * @property {string} [user] `nobody nogroup`; only for a start as root
 */

/** @param {string} file */
const quoted = (file) => `"${file.replace(/["\\$]/g, '\\$&')}"`;

/** @param {string[]} folders @throws {Error} naming one that no quotes make a word of nginx.conf */
function requireQuotable(folders) {
  const bad = folders.find((folder) => /["\\$\n;{}]/.test(folder));
  if (bad) throw new Error(`nginx cannot use the folder ${JSON.stringify(bad)}: choose another with --state DIR`);
}

/** @param {string[]} lines @param {number} depth */
const indented = (lines, depth) => lines.map((line) => line && `${' '.repeat(depth)}${line}`).join('\n');

/**
 * The answer of one kind of error. Headers of the server block do not reach a location that has its own.
 * @param {(typeof problems)[number]} problem @param {boolean} secure
 */
function problemLocation({ on, status, slug, title, detail, headers = {} }, secure) {
  const type = `urn:catalog:problem:${slug}`;
  const body = JSON.stringify({ type, title, status, detail, instance: 'urn:request:$req_id' });
  const all = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED,
    'Cache-Control': 'no-store',
    'Content-Security-Policy': JSON_POLICY,
    'Timing-Allow-Origin': '*',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': '$req_id',
    ...(secure ? { 'Strict-Transport-Security': '$hsts' } : {}),
    ...headers,
  };
  // Not a named location: nginx answers 500 when a request that it could not read is sent to one.
  return [
    `error_page ${on.join(' ')} =${status} /.problem/${slug};`,
    `location = /.problem/${slug} {`,
    '    internal;',
    '    default_type application/problem+json;',
    ...Object.entries(all).map(([name, value]) => `    add_header ${name} "${value}" always;`),
    `    return ${status} '${body}';`,
    '}',
  ];
}

/**
 * @param {NginxSettings} settings
 * @returns {string} nginx.conf; depends on nothing else
 */
function renderNginx(settings) {
  const { port, workers = [], upstreams, work, logs, openFiles, user, tls } = settings;
  const { rateLimit = 0, retries = oneMachine, keepsIdle = false, ipv6Loopback = false } = settings;
  const cache = settings.cache ?? path.join(work, 'cache');
  requireQuotable([work, logs, cache]);
  /** @type {Record<string, string>} */
  const values = {
    port: String(port),
    ipv6: indented(ipv6Loopback ? [`listen [::1]:${port} default_server reuseport;`] : [], 8),
    asRoot: user ? `user ${user};\nworker_priority ${priority};  # refusing must not wait for what it protects` : '',
    work,
    cache,
    errorLog: quoted(path.join(logs, 'nginx-error.log')),
    accessLog: quoted(path.join(logs, 'nginx-access.log')),
    cacheMaps: indented(fs.readFileSync(cacheMaps, 'utf8').trimEnd().split('\n'), 4),
    connections: String(Math.min(16384, Math.floor(openFiles / 2))),
    cachedFiles: String(Math.min(maxCachedFiles, Math.floor(openFiles / 4))),
    maxBody: String(MAX_BODY_BYTES),
    inFlight: String(inFlightPerWorker * (workers.length || fleetWorkers)),
    http: indented([...hstsMap(tls), ...rateLimitZone(rateLimit)], 4),
    server: indented(
      [...tlsLines(tls, quoted, ipv6Loopback), ...rateLimitLines(rateLimit), ...keepIdleLines(keepsIdle)],
      8,
    ),
    servers: indented(
      upstreams ? [`include ${quoted(upstreams)};`] : workers.flatMap((address) => serverLines(address)),
      8,
    ),
    tries: String(retries.tries),
    retried: retries.retried,
    documentTimeout: retries.documentTimeout,
    problems: indented(
      problems.flatMap((problem) => problemLocation(problem, Boolean(tls))),
      8,
    ),
  };
  return fs.readFileSync(template, 'utf8').replace(/\{\{(\w+)\}\}/g, (_, /** @type {string} */ name) => values[name]);
}

module.exports = { maxCachedFiles, renderNginx, requireQuotable };
