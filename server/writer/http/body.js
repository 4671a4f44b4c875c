'use strict';

const { MIMEType } = require('node:util');

const { PROBLEMS, Problem } = require('../../core/errors');
const { unread } = require('../../http/listener/request-body');
const { WRITE_PROBLEMS, malformedRequest } = require('../errors');
const { GrowingBytes } = require('./growing-bytes');

const MAX_BYTES = 2 ** 20;
/** JSON has no other encoding (RFC 8259 §8.1). */
const UTF_8 = ['utf-8', 'utf8'];
const TOO_LARGE = `The body is longer than ${MAX_BYTES} bytes. Send less, or a patch of what changes.`;

/**
 * Reads a body and uses it. Bodies are held until their writes are answered. Together they have a limit, or clients could fill the memory.
 * @template T
 * @param {import('node:http').IncomingMessage} req @param {import('node:http').ServerResponse} res
 * @param {{ memory: import('./limits').Share, keyId: string }} holder @param {(bytes: Buffer) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function withBody(req, res, { memory, keyId }, use) {
  const length = req.headers['content-length'];
  if (Number(length ?? 0) > MAX_BYTES) throw unread(req, PROBLEMS.contentTooLarge, TOO_LARGE);
  if (req.headers.expect) res.writeContinue();
  const bytes = new GrowingBytes(length === undefined ? undefined : Number(length));
  let held = 0;
  try {
    // The default would destroy the connection with an early end, and the problem could not be sent.
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      memory.take(keyId, chunk.length);
      held += chunk.length;
      if (held > MAX_BYTES) throw unread(req, PROBLEMS.contentTooLarge, TOO_LARGE);
      bytes.add(chunk);
    }
    return await use(bytes.take());
  } catch (error) {
    throw req.errored ? malformedRequest('The connection ended before the body did.') : error;
  } finally {
    memory.free(keyId, held);
  }
}

/** @param {string} text a Content-Type @returns {{ type: string, charset: string }} in lower case; RFC 9110 §8.3.1 */
function typeIn(text) {
  try {
    const { essence, params } = new MIMEType(text);
    return { type: essence, charset: (params.get('charset') ?? 'utf-8').toLowerCase() };
  } catch {
    return { type: '', charset: '' };
  }
}

/**
 * @param {import('node:http').IncomingMessage} req @param {string} wanted the only type that this request may have
 * @throws {Problem} 415
 */
function requireType(req, wanted) {
  const { type, charset } = typeIn(req.headers['content-type'] ?? '');
  const encoding = (req.headers['content-encoding'] ?? 'identity').toLowerCase();
  const isRead = type === wanted && encoding === 'identity';
  if (isRead && UTF_8.includes(charset)) return;
  throw new Problem(
    WRITE_PROBLEMS.unsupportedMediaType,
    isRead
      ? `A body of charset ${charset} is not read. Send UTF-8.`
      : `Send Content-Type: ${wanted}, without Content-Encoding.`,
    { headers: req.method === 'PATCH' ? { 'Accept-Patch': wanted } : undefined },
  );
}

exports.MAX_BYTES = MAX_BYTES;
exports.requireType = requireType;
exports.withBody = withBody;
