'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { DATE } = require('./fields');

/** @typedef {import('../../catalog/declarations').Declaration} Declaration @typedef {import('./fields').Owner} Owner */

const DESCRIPTION = readFileSync(join(__dirname, '../openapi.json'), 'utf8');
/** The schemas that have `fields` of each table. @type {Record<Owner, string[]>} */
const SCHEMAS = {
  products: ['Product', 'ProductPatch', 'ShownProduct', 'Content'],
  styles: ['Style', 'StylePatch', 'ShownStyle'],
  skus: ['Sku', 'SkuPatch', 'ShownSku'],
};
const FIELDS = { products: 'ProductFields', styles: 'StyleFields', skus: 'SkuFields' };
const OWNERS = /** @type {Owner[]} */ (Object.keys(SCHEMAS));
/** Null is no value. */
const TYPES = {
  text: { type: ['string', 'null'] },
  number: { type: ['number', 'null'] },
  boolean: { type: ['boolean', 'null'] },
  date: { type: ['string', 'null'], pattern: DATE },
  list: { type: ['array', 'null'], items: { type: 'string' } },
};

/** The schemas of bodies while only these tables have fields: `fields` of others is an unknown member. @param {Owner[]} owners @returns {any} */
function componentsWith(owners) {
  const { components } = JSON.parse(DESCRIPTION);
  for (const owner of OWNERS.filter((each) => !owners.includes(each)))
    for (const name of SCHEMAS[owner]) delete components.schemas[name].properties.fields;
  return components;
}

/** @param {Declaration} declaration @returns {Owner[]} the tables for which it declares fields */
const ownersIn = (declaration) => OWNERS.filter((owner) => declaration[owner].size > 0);

/** @param {Declaration} declaration @returns {string} the description of the API, with the names and types of the fields */
function describe(declaration) {
  const owners = ownersIn(declaration);
  if (owners.length === 0) return JSON.stringify(JSON.parse(DESCRIPTION));
  const components = componentsWith(owners);
  const { Fields: general, ...schemas } = components.schemas;
  for (const owner of owners) {
    const properties = Object.fromEntries([...declaration[owner]].map(([name, { type }]) => [name, TYPES[type]]));
    schemas[FIELDS[owner]] = { ...general, properties, additionalProperties: false };
    const fields = { $ref: `#/components/schemas/${FIELDS[owner]}` };
    for (const name of SCHEMAS[owner])
      schemas[name].properties.fields = name.endsWith('Patch') ? { anyOf: [fields, { type: 'null' }] } : fields;
  }
  return JSON.stringify({ ...JSON.parse(DESCRIPTION), components: { ...components, schemas } });
}

exports.componentsWith = componentsWith;
exports.describe = describe;
exports.ownersIn = ownersIn;
