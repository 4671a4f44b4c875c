'use strict';

const { etagOf, gzipEtagOf, matchesStrongly } = require('../../http/replies/validators');
const { invalidBody, preconditionFailed, unknownProduct } = require('../errors');
const { merge } = require('../content/merge');
const { readBody } = require('../content/rules');
const { equal, ordered } = require('../content/shape');
const { requireProduct } = require('../content/schemas');

/** @typedef {import('../content/shape').Content} Content */

/**
 * A request to write, with a body that fits its schema.
 * @typedef {object} Write
 * @property {'create' | 'put' | 'patch' | 'delete' | 'rollback'} kind
 * @property {number | null} id null: a new product
 * @property {any} body product, patch, or content of a revision
 * @property {number} size bytes of the body that was sent
 * @property {string | undefined} ifMatch
 * @property {boolean} ifDeleted `If-None-Match: *`
 * @property {Who} who
 * @property {{ key: string, fingerprint: string } | null} idempotency
 * @property {object} [bulk] the request that it is a line of
 * @property {{ key: string, fingerprint: string, lineOf: (stored: string) => number | null }} [content] of a line: the key of its bytes, and
 *   the number under which an earlier request has done them, if its line of that number has others
 */
/** @typedef {{ keyId: string, actor: string, onBehalf: string | null, reason: string | null, requestId: string | null }} Who */
/** @typedef {{ revision: number, kind: string, actor: string | null, is_of_other_load: boolean, content: any }} LastRevision */
/**
 * A product as a transaction finds it.
 * @typedef {object} Found
 * @property {import('../content/shape').Own} own
 * @property {Content} content
 * @property {string} digest of its public reply
 */
/** @typedef {{ isSame: true } | { isSame: false, before: Content | null, after: Content | null }} Verdict */

/** @param {Found | undefined} found @param {LastRevision | undefined} last */
const current = (found, last) => ({
  ...(found && { ETag: etagOf(found.digest) }),
  'Catalog-Revision': String(last?.revision ?? 0),
});

/**
 * @param {Write} write @param {Found | undefined} found @param {LastRevision | undefined} last
 * @returns {Verdict} whether it changes something, and into what; keys of new styles and skus have no ids yet
 * @throws {import('../../core/errors').Problem}
 */
function judge(write, found, last) {
  if (write.id === null) return { isSame: false, before: null, after: wanted(write, null) };
  if (!found) return judgeMissing(write, last);
  if (isDone(write, found)) return { isSame: true };
  // Before all rules that depend on the product: a client that is late has to read it again, whatever else it would have to mend.
  requirePreconditions(write, found, last);
  const after = write.kind === 'delete' ? null : wanted(write, found);
  return equal(found.content, after) ? { isSame: true } : { isSame: false, before: found.content, after };
}

/**
 * Whether a PUT finds its content, as one that a proxy sends twice: with the time of the product that its client has read.
 * @param {Write} write @param {Found} found
 */
function isDone({ kind, body }, found) {
  if (kind !== 'put') return false;
  const { errors, content } = readBody(body, found.own);
  return errors.every(({ pointer }) => pointer === '/updated_at') && equal(found.content, content);
}

/** @param {Write} write @param {LastRevision | undefined} last @returns {Verdict} */
function judgeMissing(write, last) {
  const id = /** @type {number} */ (write.id);
  if (write.kind === 'delete' && last?.kind === 'delete' && last.actor === write.who.actor) return { isSame: true };
  const mayReturn = last && (write.kind === 'put' || write.kind === 'rollback');
  if (!mayReturn) throw unknownProduct(id);
  if (!write.ifDeleted)
    throw preconditionFailed('The product is deleted. If-None-Match: * brings it back.', current(undefined, last));
  return { isSame: false, before: null, after: wanted(write, null) };
}

/** @param {Write} write @param {Found} found @param {LastRevision | undefined} last */
function requirePreconditions({ ifMatch, ifDeleted }, found, last) {
  const { digest } = found;
  const matches =
    ifMatch === undefined || [etagOf(digest), gzipEtagOf(digest)].some((etag) => matchesStrongly(ifMatch, etag));
  if (ifDeleted) throw preconditionFailed('The product exists, and If-None-Match is *.', current(found, last));
  if (matches) return;
  const detail = ifMatch.includes('W/')
    ? 'If-Match never matches a weak ETag. Send it without W/.'
    : 'If-Match does not name the current ETag: the product was written since. Read it again.';
  throw preconditionFailed(detail, current(found, last));
}

/** @param {Write} write @param {Found | null} found @returns {Content} */
function wanted({ kind, body }, found) {
  if (kind === 'rollback') return ordered(body);
  const { errors, content } = kind === 'patch' && found ? patched(body, found) : readBody(body, found?.own ?? null);
  if (errors.length > 0) throw invalidBody(errors);
  return content;
}

/** @param {any} patch @param {Found} found */
function patched(patch, found) {
  const merged = merge({ ...found.own, ...found.content }, patch);
  requireProduct(merged);
  return readBody(merged, found.own);
}

exports.current = current;
exports.judge = judge;
