'use strict';

const { positiveInteger } = require('../params/params');
const { skuInclude, skuParams } = require('../params/sku-params');

/** @typedef {(parts: import('../../routes').Parts) => import('express').RequestHandler} Controller */

/** GET /skus/:sku_id?include= @type {Controller} */
function sku({ catalog, reply }) {
  const send = reply('sku');
  return (req, res) => {
    const id = positiveInteger(String(req.params.sku_id), 'sku_id');
    return send(req, res, catalog.sku(id, skuInclude(req.url)));
  };
}

/** GET /skus?ids=&include=, or ?field.NAME= @type {Controller} */
function skus({ catalog, reply }) {
  const send = reply('skus');
  return (req, res) => {
    const fields = [...(catalog.declaration?.skus.values() ?? [])];
    const lookups = fields.filter(({ lookup }) => lookup);
    const wanted = skuParams(
      req.url,
      Array.from(lookups, ({ name }) => name),
    );
    const { include } = wanted;
    const found =
      'ids' in wanted ? catalog.skus(wanted.ids, include) : catalog.skusByField(wanted.field, wanted.values, include);
    return send(req, res, found);
  };
}

exports.sku = sku;
exports.skus = skus;
