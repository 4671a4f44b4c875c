'use strict';

const { FIELD } = require('../../core/policy');
const { describeSearch } = require('./described-search');

/** @typedef {import('../../catalog/declarations').Field} Field */

/** JSON Schemas of the types. */
const TYPES = {
  text: { type: 'string', minLength: 1 },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', description: 'ISO 8601, a day or a time; in UTC where it has no zone.' },
  list: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, uniqueItems: true },
};

/**
 * The description of the API with the fields that the served load declares, each with its type. What declares none has no `fields`.
 * @param {string} text OpenAPI @param {import('../../catalog/declarations').Declaration | null} declaration @returns {string}
 */
function describeFields(text, declaration) {
  if (!declaration) return text;
  const { products, styles, skus } = declaration;
  const document = JSON.parse(text);
  const { schemas } = document.components;
  /** @param {string} name @param {Field[]} fields @param {string[]} owners */
  const describe = (name, fields, owners) => {
    if (fields.length > 0) {
      const properties = Object.fromEntries(fields.map((field) => [field.name, TYPES[field.type]]));
      schemas[name] = { ...schemas.Fields, properties, additionalProperties: false };
    }
    for (const owner of owners) {
      const { properties, required } = schemas[owner];
      if (fields.length === 0) delete properties.fields;
      else properties.fields = { $ref: `#/components/schemas/${name}` };
      // The sku of nulls has none.
      if (fields.length > 0 && owner !== 'Sku') required.push('fields');
    }
  };
  describe('ProductFields', [...products.values()], ['ProductSummary', 'Product']);
  const onCards = [...products.values()].filter(({ card }) => card);
  describe('CardFields', onCards, ['Card']);
  describe('StyleFields', [...styles.values()], ['Style']);
  describe('SkuFields', [...skus.values()], ['Sku', 'SkuItem']);
  describeLookups(document, [...skus.values()]);
  describeSearch(
    document,
    [products, styles, skus].flatMap((fields) => [...fields.values()]),
  );
  delete schemas.Fields;
  delete schemas.FieldValue;
  return JSON.stringify(document);
}

/** Skus are looked up by a parameter for each field that is declared for it. @param {any} document OpenAPI @param {Field[]} fields of skus */
function describeLookups({ components, paths }, fields) {
  const { sku_field: parameter, ...others } = components.parameters;
  components.parameters = others;
  const { get } = paths['/skus'];
  get.parameters = get.parameters.flatMap((/** @type {{ $ref: string }} */ each) => {
    if (!each.$ref.endsWith('/sku_field')) return [each];
    return fields.flatMap(({ name, lookup }) => (lookup ? [{ ...parameter, name: `${FIELD}${name}` }] : []));
  });
}

exports.describeFields = describeFields;
