'use strict';

const { cursorText } = require('../../core/commit-cursor');
const { productId } = require('../../http/params/params');
const { unknownProduct } = require('../errors');
const statements = require('../database/statements');

/** GET /products/:product_id/stock @param {import('../routes').Parts} parts @returns {import('./products').Handler} */
const productStock =
  ({ keys, database }) =>
  async (req) => {
    await keys.require(req, 'stock');
    const id = productId(req);
    const [found] = await database.read(statements.productStock, [id]);
    if (!found) throw unknownProduct(id);
    return { status: 200, headers: { 'Catalog-Cursor': cursorText(found) }, body: found.body };
  };

exports.productStock = productStock;
