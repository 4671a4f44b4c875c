'use strict';

/** An id that no catalog has: an answer about it means that smuggled bytes became a request. */
const canaryId = 2_147_483_001;

/**
 * @typedef {object} Case
 * @property {string} kind
 * @property {Buffer} bytes
 * @property {boolean} [cut] the caller goes away in the middle
 * @property {boolean} [complete] a server that keeps silent waits for nothing of ours
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
    bytes: Buffer.from(
      'GET /products/1 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count) +
        'GET /products/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ),
  }));

/** Bytes on which two parsers may disagree where a request ends. @returns {Case[]} */
function smuggling() {
  const canary = `GET /products/${canaryId} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const chunks = `0\r\n\r\n${canary}`;
  const start = 'POST /products/1 HTTP/1.1\r\nHost: x\r\n';
  const both = `Content-Length: ${chunks.length}\r\n`;
  return [
    `${both}Transfer-Encoding: chunked\r\n\r\n${chunks}`,
    `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${canary.length.toString(16)}\r\n${canary}\r\n0\r\n\r\n`,
    `${both}Transfer-Encoding: xchunked\r\n\r\n${chunks}`,
    `${both}Transfer-Encoding : chunked\r\n\r\n${chunks}`,
    `${both}Transfer-Encoding:\tchunked\r\n\r\n${chunks}`,
    `${both}Transfer-Encoding: identity, chunked\r\n\r\n${chunks}`,
    `${both}Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n\r\n${chunks}`,
    `${both}X: y\r\n Transfer-Encoding: chunked\r\n\r\n${chunks}`,
    `${both}Transfer-Encoding\r\n : chunked\r\n\r\n${chunks}`,
    `${both}\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
    `${both}Content-Length: 0\r\n\r\n${chunks}`,
    `Content-Length: 0, ${chunks.length}\r\n\r\n${chunks}`,
    `Content-Length: +${chunks.length}\r\n\r\n${chunks}`,
    `Content-Length: 0x10\r\n\r\n${chunks}`,
    `Transfer-Encoding: chunked\r\n\r\n1;a=\n\r\nx\r\n${(canary.length + 2).toString(16)}\r\n${canary}\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n${canary}`,
    `Transfer-Encoding: chunked\r\n\r\n-1\r\n${canary}`,
  ].map((rest) => ({ kind: 'smuggling', bytes: Buffer.from(start + rest, 'latin1') }));
}

module.exports = { request, oddHeaders, pipelined, smuggling, canaryId };
