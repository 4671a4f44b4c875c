'use strict';

const { productId } = require('../../http/params/params');
const { requireVisibility } = require('../content/schemas');
const { requireType, withBody } = require('./body');
const { parseJson } = require('./json');
const { asWrite } = require('./limits');
const { writeOf } = require('./write-headers');

/** POST /products/:product_id/hide and /publish, with a body or none @param {import('../routes').Parts} parts @param {'hide' | 'publish'} kind @returns {import('./products').Handler} */
const visibility = (parts, kind) => (req, res) =>
  asWrite(parts, req, (key) => {
    const id = productId(req);
    return withBody(req, res, { memory: parts.limits.bytes, keyId: key.id }, async (bytes) => {
      if (bytes.length > 0) requireType(req, 'application/json');
      const body = /** @type {any} */ (bytes.length > 0 ? parseJson(bytes) : {});
      requireVisibility(body);
      const write = writeOf(req, kind, { id, body, bytes, key });
      return parts.add({ ...write, who: { ...write.who, reason: body.reason ?? write.who.reason } });
    });
  });

exports.visibility = visibility;
