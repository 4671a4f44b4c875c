'use strict';

const { PROBLEMS, Problem } = require('../../errors');
const { unread } = require('../../http/request-body');
const { WRITE_PROBLEMS, malformedRequest } = require('../errors');
const { GrowingBytes } = require('./growing-bytes');

const MAX_BYTES = 2 ** 20;
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

/**
 * @param {import('node:http').IncomingMessage} req @param {string} type the only one that this request may have
 * @throws {Problem} 415
 */
function requireType(req, type) {
  const [given] = (req.headers['content-type'] ?? '').split(';', 1);
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (given.trim().toLowerCase() === type && encoding === 'identity') return;
  const headers = req.method === 'PATCH' ? { 'Accept-Patch': type } : undefined;
  throw new Problem(WRITE_PROBLEMS.unsupportedMediaType, `Send Content-Type: ${type}, without Content-Encoding.`, {
    headers,
  });
}

exports.MAX_BYTES = MAX_BYTES;
exports.requireType = requireType;
exports.withBody = withBody;
