'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { MAX_BODY_BYTES } = require('../server/core/errors');
const policy = require('../server/core/policy');
const { cacheKeys, numbersAbove, urlKeyLines } = require('./cache-key');
const { keepIdleLines } = require('./keep-idle');
const { problems } = require('./problems');
const { publicLines } = require('./public');
const { rateLimitLines, rateLimitZone } = require('./rate-limit');
const { oneMachine } = require('./retries');
const { hstsMap, tlsLines } = require('./tls');
const { serverLines } = require('./upstreams');
const { writerLines } = require('./writer');

/**
 * Above the workers on the same machine, so that refusing does not wait for them. Without it, 822 of 110,000 requests found no connection
 * at three times the breaking point. Only root may set it.
 */
const priority = -5;
/** Cached replies that one process keeps open. Connections come first where descriptors are few. */
const maxCachedFiles = 4000;
/** A fleet's list changes without this file, so the limit assumes this number of workers. */
const fleetWorkers = 8;

const template = path.join(__dirname, 'nginx.conf.template');
/** Copied into nginx.conf, not included: a deploy replaces the file, and nginx would read it beside the older nginx.conf. */
const cacheMaps = path.join(__dirname, 'cache-maps.conf');

/**
 * @typedef {object} NginxSettings
 * @property {number} port public
 * @property {string[]} [workers] `127.0.0.1:3030`
 * @property {string} [upstreams] instead: absolute, a file of renderUpstreams
 * @property {string} work absolute, or `.` for nginx's working folder: the pid, and folders for temporary files of the nginx workers
 * @property {string} [cache] absolute: the folder of cached replies, best in memory; nginx makes it. Default: in `work`
 * @property {string} logs absolute
 * @property {number} openFiles limit of one process
 * @property {import('./tls').Tls} [tls] serves HTTPS and HTTP/2 as well
 * @property {{ port: number, addresses: string[] }} [writers] on a port of their own, which needs `tls`
 * @property {number} [rateLimit] requests a second of one client address; 0: no limit
 * @property {import('./retries').Retries} [retries]
 * @property {boolean} [ipv6Loopback] listens on [::1] too; nginx does not start where the machine has none
 * @property {boolean} [keepsIdle] see keep-idle.js
 * @property {string} [user] `nobody nogroup`; only for a start as root
 * @property {string[]} [trustedProxies] @property {string} [challenges] see public.js
 * @property {number} [statusPort] on loopback, for the exporter of Prometheus
 */

/** @param {string} file */
const readLines = (file) => fs.readFileSync(file, 'utf8').trimEnd().split('\n');

/** @param {string} file */
const quoted = (file) => `"${file.replace(/["\\$]/g, '\\$&')}"`;

/** @param {string[]} folders @throws {Error} naming one that no quotes make a word of nginx.conf */
function requireQuotable(folders) {
  const bad = folders.find((folder) => /["\\$\n;{}]/.test(folder));
  if (bad) throw new Error(`nginx cannot use the folder ${JSON.stringify(bad)}: choose another with --state DIR`);
}

/** Numbers of connections and requests. @param {number} [port] */
const statusServer = (port) =>
  port ? [`server { listen 127.0.0.1:${port}; access_log off; location = / { stub_status; } }`] : [];

/** @param {string[]} lines @param {number} depth */
const indented = (lines, depth) => lines.map((line) => line && `${' '.repeat(depth)}${line}`).join('\n');

/**
 * The reply to one kind of error. A location that has headers of its own does not get those of the server block.
 * @param {(typeof problems)[number]} problem @param {boolean} secure
 */
function problemLocation({ on, status, slug, title, detail, headers = {} }, secure) {
  const type = `urn:catalog:problem:${slug}`;
  const body = JSON.stringify({ type, title, status, detail, instance: 'urn:request:$req_id' });
  const all = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': policy.EXPOSED,
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy.JSON_POLICY,
    'Timing-Allow-Origin': '*',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': '$req_id',
    ...(secure ? { 'Strict-Transport-Security': '$hsts' } : {}),
    ...headers,
  };
  // Not a named location: nginx answers 500 when it sends there a request that it could not read.
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
 * @param {import('./cache-key').Parameters} [routes]
 * @returns {string} nginx.conf; depends on nothing else
 */
function renderNginx(settings, routes = policy.QUERY_PARAMETERS) {
  const { port, workers = [], upstreams, work, logs, openFiles, user, tls } = settings;
  const { rateLimit = 0, retries = oneMachine, keepsIdle = false, ipv6Loopback = false } = settings;
  const { trustedProxies = [], challenges, statusPort } = settings;
  const cache = settings.cache ?? path.join(work, 'cache');
  requireQuotable([work, logs, cache]);
  const others = [...policy.UNCACHED_ROUTES, ...policy.KEYED_BY_URL];
  const kept = Object.entries(routes).filter(([route]) => !others.some((each) => each === route));
  const keys = cacheKeys(Object.fromEntries(kept), policy.UNCACHED_PARAMETERS);
  /** @type {Record<string, string>} */
  const values = {
    port: String(port),
    ipv6: indented(ipv6Loopback ? [`listen [::1]:${port} default_server reuseport;`] : [], 8),
    asRoot: user ? `user ${user};\nworker_priority ${priority};  # refusing must not wait for the workers` : '',
    work,
    cache,
    errorLog: quoted(path.join(logs, 'nginx-error.log')),
    accessLog: quoted(path.join(logs, 'nginx-access.log')),
    cacheMaps: indented([...keys.lines, ...urlKeyLines(policy.IGNORED_PARAMETERS), '', ...readLines(cacheMaps)], 4),
    documentZone: keys.documentZone,
    connections: String(Math.min(16384, Math.floor(openFiles / 2))),
    cachedFiles: String(Math.min(maxCachedFiles, Math.floor(openFiles / 4))),
    maxBody: String(MAX_BODY_BYTES),
    inFlight: String(policy.DOCUMENTS_PER_WORKER * (workers.length || fleetWorkers)),
    upstreamIdle: String(policy.UPSTREAM_IDLE_SECONDS),
    stalledReader: String(policy.STALLED_READER_SECONDS),
    cacheMb: String(policy.NGINX_CACHE_MB),
    longPage: numbersAbove(policy.SHORT_PAGE_ROWS),
    largePage: numbersAbove(policy.CACHED_PAGE_ROWS),
    largeIncludes: policy.LARGE_INCLUDES.join('|'),
    longIncludingPage: numbersAbove(policy.SHORT_PAGE_ROWS / policy.LARGE_INCLUDE_ROWS),
    longBatch: String(policy.SHORT_PAGE_ROWS),
    longIncludingBatch: String(policy.SHORT_PAGE_ROWS / policy.LARGE_INCLUDE_ROWS),
    http: indented([...hstsMap(tls), ...rateLimitZone(rateLimit), ...statusServer(statusPort)], 4),
    server: indented(
      [
        ...tlsLines(tls, quoted, ipv6Loopback),
        ...rateLimitLines(rateLimit),
        ...keepIdleLines(keepsIdle),
        ...publicLines(trustedProxies, challenges),
      ],
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
    writers: indented(writerLines(settings, quoted, problemLocation), 4),
  };
  return fs.readFileSync(template, 'utf8').replace(/\{\{(\w+)\}\}/g, (_, /** @type {string} */ name) => values[name]);
}

module.exports = { renderNginx, requireQuotable };
