'use strict';
const { http2Headers, invalid, valid } = require('./smuggling.json');

/** @typedef {import('./corpus').Case} Case */

/** An id that no catalog has: an answer about it means that smuggled bytes became a request. */
const canaryId = 2_147_483_001;
const canary = `GET /products/${canaryId} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
const chunks = `0\r\n\r\n${canary}`;

/** The names in smuggling.json, and what they mean. @type {Record<string, string>} */
const values = {
  canary,
  chunks,
  length: `${chunks.length}`,
  tooLong: `${chunks.length + 10}`,
  canaryHex: canary.length.toString(16),
  canaryAndLineHex: (canary.length + 2).toString(16),
};
const filled = (/** @type {string} */ text) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

/**
 * nginx itself answers a POST to a document, a document's request with a body, and what its cache has. It does not cache this
 * query, so each of the others goes to a worker.
 */
const starts = ['/products', '/products/1', '/openapi.json', '/'].flatMap((target) =>
  ['GET', 'POST'].map((method) => ({ method, target: `${target}?%20` })),
);

/** Bytes about whose end two parsers may disagree. The content of the valid ones is a body. @returns {Case[]} */
const smuggling = () =>
  starts.flatMap(({ method, target }) =>
    [...valid, ...invalid].map((rest) => ({
      kind: 'smuggling',
      bytes: Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: x\r\n${filled(rest)}`, 'latin1'),
    })),
  );

// HTTP/2 byte by byte (RFC 9113, 4 and 6): node:http2 refuses to send headers that a proxy to HTTP/1.1 may misread.

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frameHeadBytes = 9;
const types = { data: 0, headers: 1, settings: 4 };
const flags = { none: 0, endStream: 1, endHeaders: 4 };

/** @param {number} type @param {number} flag @param {number} stream @param {Buffer} payload */
function frame(type, flag, stream, payload) {
  const head = Buffer.alloc(frameHeadBytes);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flag;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Without Huffman's code and index (RFC 7541, 5.2 and 6.2.2), so up to 126 bytes. @param {string} text */
const literal = (text) => Buffer.concat([Buffer.of(text.length), Buffer.from(text, 'latin1')]);

/**
 * One request on a connection of its own.
 * @param {string[][]} fields names and values, with :method, :scheme, :path and :authority
 * @param {string} body
 */
function http2Request(fields, body) {
  const head = Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), literal(name), literal(value)]));
  return Buffer.concat([
    preface,
    frame(types.settings, flags.none, 0, Buffer.alloc(0)),
    frame(types.headers, flags.endHeaders, 1, head),
    frame(types.data, flags.endStream, 1, Buffer.from(body, 'latin1')),
  ]);
}

/** @param {string} bytes all that a server sent, as latin1 @returns {number} replies in it */
function http2Replies(bytes) {
  const sent = Buffer.from(bytes, 'latin1');
  let replies = 0;
  for (let at = 0; at + frameHeadBytes <= sent.length; at += frameHeadBytes + sent.readUIntBE(at, 3))
    if (sent[at + 3] === types.headers) replies += 1;
  return replies;
}

/** The same over HTTP/2, whose frames end a request: no header may end it elsewhere behind nginx. @returns {Case[]} */
const downgrades = () =>
  starts.flatMap(({ method, target }) => {
    const usual = Object.entries({ ':method': method, ':scheme': 'https', ':path': target, ':authority': 'x' });
    const broken = usual.map(([name, value], at) =>
      usual.with(at, [name, `${value} HTTP/1.1\r\nTransfer-Encoding: chunked`]),
    );
    const odd = http2Headers.map((headers) => headers.map((words) => words.map(filled)));
    const requests = [...odd.map((headers) => [...usual, ...headers]), ...broken];
    return requests.map((fields) => ({ kind: 'downgrade', bytes: http2Request(fields, chunks) }));
  });

module.exports = { canaryId, downgrades, http2Replies, smuggling };
