'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { Ajv2020 } = require('ajv/dist/2020');

const { invalidBody } = require('../errors');
const { token } = require('./paths');

/** @typedef {import('ajv').ErrorObject} ErrorObject @typedef {import('../errors').BodyError} BodyError */

/** PostgreSQL stores neither. */
const isText = (/** @type {string} */ text) => text.isWellFormed() && !text.includes('\0');

const ajv = new Ajv2020({ allErrors: true, strictTypes: false, discriminator: true, formats: { text: isText } });
/** Stops at the first error: a body of stock could have a million. */
const hasty = new Ajv2020({ strictTypes: false, strictTuples: false });
// The description of the API is what checks it.
const { components } = JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8'));
for (const each of [ajv, hasty]) each.addKeyword('components').addSchema({ components }, 'writer');

/**
 * @param {'Product' | 'ProductPatch' | 'Rollback' | 'BulkLine' | 'Stock' | 'Quantity'} name of a schema
 * @returns {(body: any) => void} throws a 422 for another body
 */
function requires(name, by = ajv) {
  const valid = by.compile({ $ref: `writer#/components/schemas/${name}` });
  return (body) => {
    if (!valid(body)) throw invalidBody((valid.errors ?? []).map(toBodyError));
  };
}

/** @param {ErrorObject} error @returns {BodyError} */
function toBodyError({ keyword, instancePath, params, message }) {
  if (keyword === 'additionalProperties') {
    const pointer = instancePath + token(params.additionalProperty);
    return { pointer, detail: 'is not a member that may be here.' };
  }
  if (keyword === 'discriminator') return { pointer: '/op', detail: 'must be create, put, patch or delete.' };
  if (keyword === 'required') return { pointer: instancePath + token(params.missingProperty), detail: 'is missing.' };
  if (keyword === 'format')
    return { pointer: instancePath, detail: 'has a NUL or half of a surrogate pair, which no text may have.' };
  // Only prices have one.
  if (keyword === 'pattern') return { pointer: instancePath, detail: 'is not a price such as "120.00".' };
  return { pointer: instancePath, detail: `${message}.` };
}

exports.requireProduct = requires('Product');
exports.requirePatch = requires('ProductPatch');
exports.requireLine = requires('BulkLine');
exports.requireRollback = requires('Rollback');
exports.requireStock = requires('Stock', hasty);
exports.requireQuantity = requires('Quantity', hasty);
