'use strict';

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
 * @param {[name: string, value: string][]} fields with :method, :scheme, :path and :authority
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

module.exports = { http2Request, http2Replies };
