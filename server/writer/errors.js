'use strict';

const { PROBLEMS, Problem } = require('../core/errors');

/** The problems that only the writer answers, beside the problems of errors.js. @type {Readonly<Record<string, Problem['kind']>>} */
const WRITE_PROBLEMS = Object.freeze({
  unauthorized: { slug: 'unauthorized', status: 401, title: 'Unauthorized' },
  forbidden: { slug: 'forbidden', status: 403, title: 'Forbidden' },
  unknownRevision: { slug: 'unknown-revision', status: 404, title: 'Unknown revision' },
  unknownWrite: { slug: 'unknown-write', status: 404, title: 'Unknown write' },
  conflict: { slug: 'conflict', status: 409, title: 'Conflict' },
  idempotencyInProgress: { slug: 'idempotency-in-progress', status: 409, title: 'Idempotency key in progress' },
  cursorExpired: { slug: 'cursor-expired', status: 410, title: 'Cursor expired' },
  unsupportedMediaType: { slug: 'unsupported-media-type', status: 415, title: 'Unsupported media type' },
  invalidBody: { slug: 'invalid-body', status: 422, title: 'Invalid body' },
  idempotencyKeyReused: { slug: 'idempotency-key-reused', status: 422, title: 'Idempotency key reused' },
  preconditionRequired: { slug: 'precondition-required', status: 428, title: 'Precondition required' },
  tooManyRequests: { slug: 'too-many-requests', status: 429, title: 'Too many requests' },
  writesPaused: { slug: 'writes-paused', status: 503, title: 'Writes paused' },
});

/** @typedef {{ pointer: string, detail: string }} BodyError pointer: into the body, or into the product that a patch makes */

/** A client reads the first of many errors. */
const MAX_ERRORS = 20;

/** @param {BodyError[]} errors at least one */
function invalidBody(errors) {
  const [{ pointer, detail }] = errors;
  const more = errors.length > 1 ? ` errors lists ${errors.length}.` : '';
  return new Problem(WRITE_PROBLEMS.invalidBody, `${pointer || 'The body'}: ${detail}${more}`, {
    members: { errors: errors.slice(0, MAX_ERRORS) },
  });
}

/** @param {string} detail */
const malformedRequest = (detail) => new Problem(PROBLEMS.malformedRequest, detail);

/** @param {string} detail */
const preconditionRequired = (detail) => new Problem(WRITE_PROBLEMS.preconditionRequired, detail);

/** @param {string} detail @param {{ ETag?: string, 'Catalog-Revision': string }} headers of the product now */
const preconditionFailed = (detail, headers) =>
  new Problem(PROBLEMS.preconditionFailed, detail, {
    headers,
    members: { current: { etag: headers.ETag, revision: Number(headers['Catalog-Revision']) } },
  });

/** @param {string} detail @param {number} seconds to wait */
const tooManyRequests = (detail, seconds) =>
  new Problem(WRITE_PROBLEMS.tooManyRequests, detail, { headers: { 'Retry-After': String(seconds) } });

/** @param {string} detail @param {unknown} [cause] */
const writesPaused = (detail, cause) => new Problem(WRITE_PROBLEMS.writesPaused, detail, { cause });

const keyReused = () =>
  new Problem(WRITE_PROBLEMS.idempotencyKeyReused, 'Another request had this Idempotency-Key. Use a new one.');

/** @param {number} id */
const unknownProduct = (id) =>
  new Problem(PROBLEMS.unknownProduct, `There is no product ${id} in the catalog. POST /products makes a new one.`);

exports.WRITE_PROBLEMS = WRITE_PROBLEMS;
exports.invalidBody = invalidBody;
exports.keyReused = keyReused;
exports.malformedRequest = malformedRequest;
exports.preconditionFailed = preconditionFailed;
exports.preconditionRequired = preconditionRequired;
exports.tooManyRequests = tooManyRequests;
exports.unknownProduct = unknownProduct;
exports.writesPaused = writesPaused;
