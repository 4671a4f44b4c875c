'use strict';
const { http2Request } = require('./http2-bytes');

/** @typedef {import('./corpus').Case} Case */

/** An id that no catalog has: an answer about it means that smuggled bytes became a request. */
const canaryId = 2_147_483_001;
const canary = `GET /products/${canaryId} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
const chunks = `0\r\n\r\n${canary}`;

/**
 * nginx itself answers a POST to a document, a document's request with a body, and what its cache has. It does not cache this
 * query, so each of the others goes to a worker.
 */
const starts = ['/products', '/products/1', '/openapi.json', '/'].flatMap((target) =>
  ['GET', 'POST'].map((method) => ({ method, target: `${target}?%20` })),
);

/** Bytes about whose end two parsers may disagree. @returns {Case[]} */
function smuggling() {
  const both = `Content-Length: ${chunks.length}\r\n`;
  const chunked = `Transfer-Encoding: chunked\r\n\r\n${canary.length.toString(16)}`;
  // Valid: their content is a body, for nginx and for a worker.
  const valid = [
    `${both}\r\n${chunks}`,
    `${both}Connection: content-length\r\n\r\n${chunks}`,
    `${both}Content_Length: 0\r\nTE: chunked\r\n\r\n${chunks}`,
    `${both}Expect: 100-continue\r\n\r\n${chunks}`,
    `${both}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n${chunks}`,
    `${chunked}\r\n${canary}\r\n0\r\n\r\n`,
    `${chunked};a=b\r\n${canary}\r\n0\r\nContent-Length: 0\r\n\r\n`,
    `Connection: transfer-encoding\r\n${chunked}\r\n${canary}\r\n0\r\n\r\n`,
  ];
  const invalid = [
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
  ];
  return starts.flatMap(({ method, target }) =>
    [...valid, ...invalid].map((rest) => ({
      kind: 'smuggling',
      bytes: Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: x\r\n${rest}`, 'latin1'),
    })),
  );
}

/** The same over HTTP/2, whose frames end a request: no header may end it elsewhere behind nginx. @returns {Case[]} */
function downgrades() {
  const length = String(chunks.length);
  /** @type {[name: string, value: string][][]} */
  const rests = [
    [], // valid
    [['content-length', length]], // valid
    [['te', 'trailers']], // valid
    [['expect', '100-continue']], // valid
    [['content_length', '0']], // valid
    [['x-transfer-encoding', 'chunked']], // valid
    [['content-length', '0']],
    [['content-length', '5']],
    [['content-length', String(chunks.length + 10)]],
    [['content-length', `0, ${length}`]],
    [
      ['content-length', '0'],
      ['content-length', length],
    ],
    [['transfer-encoding', 'chunked']],
    [
      ['content-length', length],
      ['transfer-encoding', 'chunked'],
    ],
    [['te', 'chunked']],
    [['te', 'trailers, chunked']],
    [['connection', 'content-length']],
    [['Transfer-Encoding', 'chunked']],
    [['x', 'y\r\nTransfer-Encoding: chunked']],
    [['x', 'y\nContent-Length: 0']],
    [['x: y\r\ncontent-length', '0']],
    [['x', `y\r\n\r\n${canary}`]],
  ];
  return starts.flatMap(({ method, target }) => {
    /** @type {[name: string, value: string][]} */
    const valid = [
      [':method', method],
      [':scheme', 'https'],
      [':path', target],
      [':authority', 'x'],
    ];
    const broken = valid.map((field, at) =>
      valid.with(at, [field[0], `${field[1]} HTTP/1.1\r\nTransfer-Encoding: chunked`]),
    );
    return [...rests.map((rest) => [...valid, ...rest]), ...broken].map((fields) => ({
      kind: 'downgrade',
      bytes: http2Request(fields, chunks),
    }));
  });
}

module.exports = { canaryId, downgrades, smuggling };
