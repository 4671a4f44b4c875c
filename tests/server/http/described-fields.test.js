'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { Declarations } = require('../../../server/catalog/declarations');
const { describeFields } = require('../../../server/http/replies/described-fields');

const text = readFileSync(join(__dirname, '../../../server/openapi.json'), 'utf8');
const field = { type: 'text', card: false };
/** @param {any} declared */
const declarationOf = (declared) => new Declarations({ declared }).current;
/** @param {any} declared */
const schemasOf = (declared) => JSON.parse(describeFields(text, declarationOf(declared))).components.schemas;

test('without a declaration the description is as it is written', () => {
  expect(describeFields(text, declarationOf(null))).toBe(text);
});

test('what declares no field has no member for it', () => {
  const schemas = schemasOf({ products: { brand: field }, styles: {}, skus: {} });
  const having = Object.keys(schemas).filter((name) => name !== 'Catalog' && schemas[name].properties?.fields);
  expect(having).toEqual(['ProductSummary', 'Product']);
  expect(having.map((name) => schemas[name].required.includes('fields'))).toEqual([true, true]);
  expect(Object.keys(schemas).filter((name) => /Field/.test(name))).toEqual(['SearchField', 'ProductFields']);
});

test('a sku may lack its fields, as that of nulls does', () => {
  const { Sku } = schemasOf({ products: {}, styles: {}, skus: { code: field } });
  expect([Sku.properties.fields, Sku.required]).toEqual([
    { $ref: '#/components/schemas/SkuFields' },
    ['quantity', 'size'],
  ]);
});

test('the declaration is the same object while the version is, in declared order', () => {
  const declared = { products: { b: field, a: field }, styles: {}, skus: {} };
  const declarations = new Declarations(/** @type {any} */ ({ declared }));
  expect(declarations.current).toBe(declarations.current);
  expect([...(declarations.current?.products.keys() ?? [])]).toEqual(['b', 'a']);
  expect(declarations.current?.products.get('b')).toEqual({ name: 'b', ...field });
});
