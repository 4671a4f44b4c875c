'use strict';

const { cursorText } = require('../../core/commit-cursor');
const { productId } = require('../../http/params/params');
const { current } = require('../writes/decide');
const { shown } = require('../content/shape');
const { SHOWN, isSame, visibilityText } = require('../content/visibility');
const statements = require('../database/statements');
const { unknownProduct } = require('../errors');
const { lastOf, readProducts } = require('../writes/read-state');
const { requireType, withBody } = require('./body');
const { readContent } = require('./content-body');
const { asWrite } = require('./limits');
const { writeOf } = require('./write-headers');

/** @typedef {import('../routes').Parts} Parts @typedef {import('./write-reply').Answer} Answer @typedef {import('../writes/types').Write} Write */
/** @typedef {(req: import('express').Request, res: import('express').Response, begin: import('./write-reply').Begin) => Promise<Answer>} Handler */

const NO_BODY = Buffer.alloc(0);
const BODIES = /** @type {const} */ ({
  create: { type: 'application/json', schema: 'product' },
  put: { type: 'application/json', schema: 'product' },
  patch: { type: 'application/merge-patch+json', schema: 'patch' },
});

/** @param {Parts} parts @param {keyof typeof BODIES} kind @returns {Handler} */
const written = (parts, kind) => {
  const { type, schema } = BODIES[kind];
  return (req, res) =>
    asWrite(parts, req, (key) => {
      const id = kind === 'create' ? null : productId(req);
      requireType(req, type);
      return withBody(req, res, { memory: parts.limits.bytes, keyId: key.id }, async (bytes) => {
        const body = await readContent(parts.database, schema, bytes);
        return parts.add(writeOf(req, kind, { id, body, bytes, key }));
      });
    });
};

/** @param {Parts} parts @returns {Handler} */
const deleted = (parts) => (req) =>
  asWrite(parts, req, async (key) =>
    parts.add(writeOf(req, 'delete', { id: productId(req), body: null, bytes: NO_BODY, key })),
  );

/** @param {Parts} parts @returns {Handler} */
const read =
  ({ keys, database }) =>
  async (req) => {
    await keys.require(req, 'content');
    const id = productId(req);
    const query = database.read.bind(database);
    const [found, served, [visibility], revisions] = await Promise.all([
      readProducts(query, [id]),
      database.readLoad(),
      query(statements.visibility, [[id]]),
      query(statements.lastRevisions, [[id]]),
    ]);
    const product = found.get(id);
    if (!product) throw unknownProduct(id);
    const headers = {
      ...current(product, lastOf(revisions, served).get(id)),
      ...(!isSame(visibility, SHOWN) && { 'Catalog-Hidden': visibilityText(id, visibility) }),
      'Catalog-Cursor': cursorText(served),
    };
    return { status: 200, headers, body: shown(product.own, product.content) };
  };

exports.BODIES = BODIES;
exports.deleted = deleted;
exports.read = read;
exports.written = written;
