'use strict';

/**
 * @typedef {object} Case
 * @property {string} kind
 * @property {Buffer} bytes
 * @property {boolean} [cut] the caller goes away in the middle
 * @property {boolean} [complete] a server that keeps silent waits for nothing of ours
 * @property {number} [status] the only right one
 * @property {number} [replies] how many belong to it; of the others nobody can say
 */

/** @param {string} target @param {{ method?: string, headers?: string[], body?: string }} [rest] */
const request = (target, { method = 'GET', headers = [], body = '' } = {}) =>
  Buffer.from(
    [`${method} ${target} HTTP/1.1`, 'Host: catalog', 'Connection: close', ...headers, '', body].join('\r\n'),
    'utf8',
  );

/** @returns {Case[]} */
const oddHeaders = () =>
  [
    [`X-Long: ${'x'.repeat(6900)}`],
    [`X-Long: ${'x'.repeat(20_000)}`],
    Array.from({ length: 500 }, (_, index) => `X-${index}: 1`),
    ['If-None-Match: "'],
    [`If-None-Match: ${'"a",'.repeat(1500)}`],
    ['Accept-Encoding: gzip;q=banana, *;q=-1, \u0000'],
    ['X-Request-Id: a\u0001b'],
    ['X-Request-Id: ${jndi:ldap://x}'],
    ['Range: bytes=0-0,5-'],
    ['Expect: 100-continue'],
    ['Expect: something'],
    ['Upgrade: websocket', 'Sec-WebSocket-Key: x'],
    ['Content-Length: 5'],
    ['Content-Length: -1'],
    ['Content-Length: 1e3'],
    ['Content-Length: 99999999999999999999'],
    ['Cookie: ' + 'a=b;'.repeat(1000)],
    ['Host: other'],
    ['X-Forwarded-For: 127.0.0.1, ::1', 'X-Forwarded-Proto: javascript'],
  ].map((headers) => ({ kind: 'header', bytes: request('/products/1', { headers, body: 'a' }) }));

/** @returns {Case[]} many requests in one packet, sound and unsound ones */
const pipelined = () =>
  [20, 200].map((count) => ({
    kind: 'pipeline',
    complete: true,
    replies: count + 1,
    bytes: Buffer.from(
      'GET /products/1 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count) +
        'GET /products/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ),
  }));

module.exports = { request, oddHeaders, pipelined };
