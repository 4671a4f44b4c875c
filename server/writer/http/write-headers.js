'use strict';

const { createHash } = require('node:crypto');

const { Problem } = require('../../core/errors');
const { givenRequestId } = require('../../http/replies/request-id');
const { isIfMatch } = require('../../http/replies/validators');
const { isNew } = require('../content/rules');
const { WRITE_PROBLEMS, malformedRequest, preconditionRequired } = require('../errors');

/** @typedef {import('express').Request} Request @typedef {import('../writes/types').Write} Write */
/** @typedef {(write: Pick<Write, 'body' | 'ifMatch' | 'ifDeleted' | 'idempotency'>) => boolean} Check */

const MAX_TEXT = 500;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;

/** @param {Request} req @param {string} name of a header with UTF-8, of which Node makes a character a byte */
function textOf(req, name) {
  const given = req.headers[name.toLowerCase()];
  if (given === undefined) return null;
  const text = Buffer.from(String(given), 'latin1').toString('utf8');
  if (text.length > MAX_TEXT) throw malformedRequest(`${name} is longer than ${MAX_TEXT} characters.`);
  return text || null;
}

/** @param {Request} req @param {import('./api-keys').ApiKey} key @returns {Write['who']} */
const whoOf = (req, key) => ({
  keyId: key.id,
  actor: key.name,
  onBehalf: textOf(req, 'X-Actor'),
  reason: textOf(req, 'X-Reason'),
  requestId: givenRequestId(req) ?? null,
});

/** @param {Request} req @param {Buffer} body @returns {Write['idempotency']} @throws {Problem} 400 */
function idempotencyOf(req, body) {
  const key = req.headers['idempotency-key'];
  if (key === undefined) return null;
  if (!IDEMPOTENCY_KEY.test(String(key)))
    throw malformedRequest('Idempotency-Key has 1 to 200 visible ASCII characters. A UUID fits.');
  return { key: String(key), fingerprint: fingerprintOf(`${req.method} ${req.path}`, body) };
}

/** 128 bits of SHA-256: only the client itself could find two bodies with one. @param {string} what @param {Buffer} body */
const fingerprintOf = (what, body) => createHash('sha256').update(`${what}\n`).update(body).digest('hex').slice(0, 32);

/** @param {Request} req */
function preconditionsOf(req) {
  const ifNoneMatch = req.headers['if-none-match'];
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*')
    throw malformedRequest('If-None-Match of a write can only be *.');
  return { ifMatch: req.headers['if-match'], ifDeleted: ifNoneMatch !== undefined };
}

/** @param {any} body a product, or a patch of one */
const hasNewKeys = ({ styles }) =>
  Object.entries(styles ?? {}).some(([key, style]) => isNew(key) || Object.keys(style?.skus ?? {}).some(isNew));

/** New keys get other ids each time. An ETag is no longer that of the product when they have. @type {Check} */
const mayRepeat = ({ ifMatch = '*', ifDeleted, idempotency, body }) =>
  !hasNewKeys(body) || Boolean(idempotency) || ifDeleted || ifMatch.trim() !== '*';

const MATCH = 'Send If-Match with the ETag that you have read, or If-Match: *.';
const MATCH_OR_DELETED = `${MATCH} If-None-Match: * brings back a deleted product.`;

const NEW_KEYS =
  'New keys need an Idempotency-Key, or If-Match with the ETag that you have read, so that a repeat adds nothing twice.';

/**
 * Headers that each kind of write must have, so that none is done twice or over another by accident.
 * @type {Partial<Record<Write['kind'], (write: Parameters<Check>[0]) => string | false>>} what is missing
 */
const MISSING = {
  create: ({ idempotency }) => !idempotency && 'Send an Idempotency-Key, so that a repeat makes no second product.',
  put: (write) => (write.ifMatch === undefined && !write.ifDeleted ? MATCH_OR_DELETED : !mayRepeat(write) && NEW_KEYS),
  rollback: ({ ifMatch, ifDeleted }) => ifMatch === undefined && !ifDeleted && MATCH_OR_DELETED,
  delete: ({ ifMatch }) => ifMatch === undefined && MATCH,
  patch: (write) => !mayRepeat(write) && NEW_KEYS,
  upsert: (write) => !mayRepeat(write) && NEW_KEYS,
};

/**
 * @param {Request} req @param {Write['kind']} kind
 * @param {{ id: number | null, body: any, bytes: Buffer, key: import('./api-keys').ApiKey }} more
 * @returns {Write}
 * @throws {Problem} 400, 428
 */
function writeOf(req, kind, { id, body, bytes, key }) {
  return withAllNeeded({
    kind,
    id,
    body,
    size: bytes.length,
    ...preconditionsOf(req),
    who: whoOf(req, key),
    idempotency: idempotencyOf(req, bytes),
  });
}

/** @template {Write} W @param {W} write @returns {W} @throws {Problem} 400, 428 */
function withAllNeeded(write) {
  if (write.ifMatch !== undefined && !isIfMatch(write.ifMatch))
    throw malformedRequest('If-Match is * or ETags in double quotes, as replies have them.');
  const missing = MISSING[write.kind]?.(write);
  if (missing) throw preconditionRequired(missing);
  return write;
}

/** Requests with an idempotency key that are under way. */
class UnderWay {
  /** @type {Set<string>} */
  #keys = new Set();

  /**
   * @template T @param {string} keyId @param {Write['idempotency']} idempotency @param {() => Promise<T>} work
   * @returns {Promise<T>}
   * @throws {Problem} 409 for a repeat that comes too early
   */
  async once(keyId, idempotency, work) {
    if (!idempotency) return work();
    const name = `${keyId} ${idempotency.key}`;
    if (this.#keys.has(name))
      throw new Problem(
        WRITE_PROBLEMS.idempotencyInProgress,
        'The first request with this Idempotency-Key is under way.',
        {
          headers: { 'Retry-After': '1' },
        },
      );
    this.#keys.add(name);
    try {
      return await work();
    } finally {
      this.#keys.delete(name);
    }
  }
}

exports.UnderWay = UnderWay;
exports.fingerprintOf = fingerprintOf;
exports.idempotencyOf = idempotencyOf;
exports.whoOf = whoOf;
exports.withAllNeeded = withAllNeeded;
exports.writeOf = writeOf;
