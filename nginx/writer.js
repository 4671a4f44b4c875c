'use strict';
const { PROBLEMS, RETRY_AFTER_SECONDS } = require('../server/core/errors');
const policy = require('../server/core/policy');
const { problems } = require('./problems');
const { tlsLines } = require('./tls');

/** A limit of bodies; /bulk has none. */
const maxBodyMb = 16;
/** A write may have been done without an answer of the writer: its client repeats it with the same key. */
const unknown = `No writer answered, and the write may have been done. Repeat it with the same Idempotency-Key after ${RETRY_AFTER_SECONDS} s.`;

/** @type {typeof problems} */
const ofWriter = problems
  .filter(({ on }) => ![404, 405, 412, 429, 529].some((status) => on.includes(status)))
  .map((problem) => {
    if (problem.on.includes(413)) return { ...problem, detail: `The body is longer than ${maxBodyMb} MB. Use /bulk.` };
    return problem.slug === PROBLEMS.unavailable.slug ? { ...problem, detail: unknown } : problem;
  });

const forwarded = {
  Connection: '""',
  Host: '$host',
  'X-Request-Id': '$req_id',
  'X-Forwarded-For': '$remote_addr',
  'X-Forwarded-Proto': '$scheme',
};

/**
 * The server for the writers, on a port of its own. Nothing is cached or sent twice: nginx cannot know whether a write was done.
 * @param {Pick<import('./render').NginxSettings, 'writers' | 'tls'>} settings
 * @param {(file: string) => string} quoted
 * @param {(problem: (typeof problems)[number], secure: boolean) => string[]} problemLocation
 * @throws {Error} without a certificate
 */
function writerLines({ writers, tls }, quoted, problemLocation) {
  if (!writers) return [];
  if (!tls) throw new Error('the port of the writers needs a certificate: their keys would pass in clear');
  return [
    'upstream writers {',
    '    zone writers 64k;',
    '    least_conn;',
    ...writers.addresses.map((address) => `    server ${address} max_fails=1 fail_timeout=3s;`),
    '    keepalive 64;',
    `    keepalive_timeout ${policy.UPSTREAM_IDLE_SECONDS}s;  # as for the workers`,
    '}',
    'server {',
    ...[
      ...tlsLines({ ...tls, port: writers.port }, quoted, false),
      'server_name _;',
      'client_header_timeout 5s;',
      'client_body_timeout 10s;      # a short body is read whole before a writer sees it',
      `client_max_body_size ${maxBodyMb}m;`,
      'client_body_buffer_size 256k;',
      'proxy_http_version 1.1;',
      ...Object.entries(forwarded).map(([name, value]) => `proxy_set_header ${name} ${value};`),
      'proxy_connect_timeout 300ms;',
      'proxy_read_timeout 60s;       # between two reads; above the longest wait of /changes',
      'proxy_next_upstream off;      # never twice',
      'location / {',
      '    proxy_pass http://writers;',
      '}',
      '# Lines of any number are answered while they come; events are sent when they happen.',
      'location ~ ^/(?:bulk|changes/stream)$ {',
      '    client_max_body_size 0;',
      '    proxy_request_buffering off;',
      '    proxy_buffering off;',
      '    proxy_pass http://writers;',
      '}',
      ...ofWriter.flatMap((problem) => problemLocation(problem, true)),
    ].map((line) => `    ${line}`),
    '}',
  ];
}

module.exports = { writerLines };
