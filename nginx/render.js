'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { problems } = require('./problems');

const template = path.join(__dirname, 'nginx.conf.template');

/**
 * @typedef {object} NginxSettings
 * @property {number} port public
 * @property {string[]} workers `127.0.0.1:3030`
 * @property {string} work absolute: pid, temporary files and cache; the nginx workers' account writes there
 * @property {string} logs absolute
 * @property {number} openFiles limit of one process
 * @property {string} [user] `nobody nogroup`; only for a start as root
 */

/** @param {string} file */
const quoted = (file) => `"${file.replace(/["\\$]/g, '\\$&')}"`;

/** @param {string} folder */
const unquotable = (folder) => /["\\$\n;{}]/.test(folder);

/**
 * The answer of one kind of error. Headers of the server block do not reach a location that has its own.
 * @param {(typeof problems)[number]} problem
 */
function problemLocation({ on, status, slug, title, detail, headers = {} }) {
  const type = `urn:catalog:problem:${slug}`;
  const body = JSON.stringify({ type, title, status, detail, instance: 'urn:request:$req_id' });
  const all = {
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': '$req_id',
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
function renderNginx({ port, workers, work, logs, openFiles, user }) {
  const bad = [work, logs].find(unquotable);
  if (bad) throw new Error(`nginx cannot use the folder ${bad}: choose another with --state DIR`);
  /** @type {Record<string, string>} */
  const values = {
    port: String(port),
    user: user ? `user ${user};` : '',
    work,
    errorLog: quoted(path.join(logs, 'nginx-error.log')),
    accessLog: quoted(path.join(logs, 'nginx-access.log')),
    cacheMaps: quoted(path.join(__dirname, 'cache-maps.conf')),
    connections: String(Math.min(16384, Math.floor(openFiles / 2))),
    // max_fails=0: by default one bad request ejects every node it is tried on, for 10 s.
    servers: workers.map((address) => `        server ${address} max_fails=0;`).join('\n'),
    problems: problems
      .flatMap(problemLocation)
      .map((line) => `        ${line}`)
      .join('\n'),
  };
  return fs
    .readFileSync(template, 'utf8')
    .replace(/\{\{(\w+)\}\}/g, (_, /** @type {string} */ name) => values[name]);
}

module.exports = { renderNginx };
