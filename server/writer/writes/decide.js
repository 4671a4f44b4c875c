'use strict';

const { Problem } = require('../../core/errors');
const { etagOf, gzipEtagOf, matchesStrongly } = require('../../http/replies/validators');
const { merge } = require('../content/merge');
const { LAST_FILE_ID, readBody } = require('../content/rules');
const { fieldErrors } = require('../content/fields');
const { equal, ordered } = require('../content/shape');
const { WRITE_PROBLEMS, invalidBody, keyReused, preconditionFailed, unknownProduct } = require('../errors');

/** @typedef {import('./types').Content} Content @typedef {import('./types').Write} Write @typedef {import('./types').Found} Found */
/** @typedef {import('./types').LastRevision} LastRevision @typedef {import('./types').Difference} Difference */
/** @typedef {import('../content/schemas').Rules} Rules */

/** @type {ReadonlySet<Write['kind']>} */
const PATCHES = new Set(['patch', 'upsert']);

/** @param {string} keyId @param {string} key */
const requestKey = (keyId, key) => `${keyId} ${key}`;

/** @param {Write} write @param {import('./types').Read['stored']} stored @returns {import('./types').Decision | null} null: it is no repeat */
function repeated({ who, idempotency }, stored) {
  const known = idempotency && stored.get(requestKey(who.keyId, idempotency.key));
  if (!known) return null;
  return known.fingerprint === idempotency.fingerprint ? { reply: known } : { problem: keyReused() };
}

/** @param {Write} write @param {import('./types').Read} read @returns {import('./types').Decision} */
function decide(write, { products, last, stored, served }) {
  const known = repeated(write, stored);
  if (known) return known;
  const { id, who, content } = write;
  const same = content && stored.get(requestKey(who.keyId, content.key));
  const line = same && content.lineOf(same.fingerprint);
  if (line) return { problem: moved(line) };
  try {
    const difference = differenceOf(write, products.get(id ?? 0), last.get(id ?? 0), served.rules);
    return difference ? { difference } : {};
  } catch (problem) {
    return { problem };
  }
}

/** @param {number} line */
const moved = (line) =>
  new Problem(
    WRITE_PROBLEMS.idempotencyKeyReused,
    `An earlier request with this Idempotency-Key had these bytes in line ${line}, and they are done. Send its lines again as they were, or others with a new key.`,
  );

/**
 * @param {Write} write @param {Found | undefined} found @param {LastRevision | undefined} last @param {Rules} rules
 * @returns {Difference | null} null: it changes nothing
 * @throws {Problem}
 */
function differenceOf(write, found, last, rules) {
  if (write.id === null) return { before: null, after: wanted(write, null, rules) };
  if (!found) return differenceOfMissing(write, last, rules);
  if (isDone(write, found, rules)) return null;
  // Before all rules that depend on the product: a client that is late has to read it again, whatever else it would have to mend.
  requirePreconditions(write, found, last);
  const after = write.kind === 'delete' ? null : wanted(write, found, rules);
  return equal(found.content, after) ? null : { before: found.content, after };
}

/**
 * Says whether a PUT finds its content, as one that a proxy sends twice: with the time of the product that its client has read.
 * @param {Write} write @param {Found} found @param {Rules} rules
 */
function isDone({ kind, body }, found, { declaration }) {
  if (kind !== 'put') return false;
  const { errors, content } = readBody(body, found.own, declaration);
  return errors.every(({ pointer }) => pointer === '/updated_at') && equal(found.content, content);
}

/** @param {Write} write @param {LastRevision | undefined} last @param {Rules} rules @returns {Difference | null} */
function differenceOfMissing(write, last, rules) {
  const id = /** @type {number} */ (write.id);
  if (write.kind === 'upsert' && id <= LAST_FILE_ID) return { before: null, after: wanted(write, null, rules) };
  if (write.kind === 'delete' && last?.kind === 'delete' && last.actor === write.who.actor) return null;
  const mayReturn = last && (write.kind === 'put' || write.kind === 'rollback');
  if (!mayReturn) throw unknownProduct(id);
  if (!write.ifDeleted)
    throw preconditionFailed('The product is deleted. If-None-Match: * brings it back.', current(undefined, last));
  return { before: null, after: wanted(write, null, rules) };
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

/** @param {Write} write @param {Found | null} found @param {Rules} rules @returns {Content} */
function wanted({ kind, body }, found, rules) {
  const { declaration } = rules;
  const { errors, content } =
    kind === 'rollback'
      ? { errors: fieldErrors(body, declaration), content: ordered(body, declaration) }
      : readBody(PATCHES.has(kind) ? patched(body, found, rules) : body, found?.own ?? null, declaration);
  if (errors.length > 0) throw invalidBody(errors);
  return content;
}

/** @param {any} patch @param {Found | null} found null: a new product @param {Rules} rules */
function patched(patch, found, { checks, declaration }) {
  // A name that is not declared is a mistake even where null removes it.
  const errors = fieldErrors(patch, declaration);
  if (errors.length > 0) throw invalidBody(errors);
  const merged = merge({ ...found?.own, ...found?.content }, patch);
  checks.product(merged);
  return merged;
}

/** The headers that say which state of a product is there. @param {Found | undefined} found @param {{ revision: number } | undefined} last */
const current = (found, last) => ({
  ...(found && { ETag: etagOf(found.digest) }),
  'Catalog-Revision': String(last?.revision ?? 0),
});

exports.current = current;
exports.decide = decide;
exports.repeated = repeated;
exports.requestKey = requestKey;
