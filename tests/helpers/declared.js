'use strict';

const { EDGES } = require('./database');

/** @param {string} name @param {string} type @param {object} [own] as etl/declaration.py stores it */
const field = (name, type, own) => ({
  type,
  column: name,
  separator: type === 'list' ? '|' : null,
  facet: false,
  search: null,
  card: false,
  sort: false,
  lookup: false,
  invalid: 'reject',
  ...own,
});

/** A field of each type for products, and some for styles and skus. */
const DECLARED = {
  products: {
    weight_g: field('weight_g', 'number'),
    brand: field('brand', 'text', { card: true }),
    vegan: field('vegan', 'boolean'),
    launched: field('launched', 'date'),
    tags: field('tags', 'list'),
  },
  styles: { shade: field('shade', 'text'), depth: field('depth', 'number') },
  skus: { ean: field('ean', 'text'), a: field('a', 'list') },
};

/** @param {number} load */
const loadRow = (load) => `
  INSERT INTO catalog_meta.loads (id, state, fingerprint, directory, campus) OVERRIDING SYSTEM VALUE
  VALUES (${load}, '${load === 1 ? 'live' : 'previous'}', '', '', 'hr-lax') ON CONFLICT DO NOTHING;`;

/** @param {object} [declared] @param {number} [load] @returns {string} SQL */
const declaration = (declared = DECLARED, load = 1) => `${loadRow(load)}
  INSERT INTO catalog_meta.declarations (load_id, content) VALUES (${load}, '${JSON.stringify(declared)}');`;

const LONG = '12345678901234567890.5';

/** Rows of a catalog whose load declares fields. Product 1, its style 1 and its sku 37 have some. */
const DECLARED_ROWS = `${EDGES} ${declaration()}
  UPDATE {schema}.products SET fields = CASE id WHEN 1 THEN '{"weight_g":${LONG},"brand":"Acme"}' ELSE '{}' END::json;
  UPDATE {schema}.styles SET fields = CASE id WHEN 1 THEN '{"depth":0.1}' ELSE '{}' END::json;
  UPDATE {schema}.skus SET fields = CASE id WHEN 37 THEN '{"ean":"40"}' ELSE '{}' END::json;`;

/** Random fields of the rows of a product. @param {(bound: number) => number} below */
function fieldMakers(below) {
  const text = () => ['a', '"\\', 'ü\u2028', '\u0001', '\u{1f45f}'][below(5)] + below(9);
  const number = () => [0.1, -7, 1e-7, 12.5, below(100)][below(5)];
  const date = () => `2026-0${1 + below(9)}-1${below(9)}${['', 'T09:30Z', 'T23:59:59.125+01:00'][below(3)]}`;
  const list = () => Array.from({ length: below(4) }, text);
  /** @param {Record<string, () => any>} makers @returns {Record<string, any>} some of them */
  const some = (makers) =>
    Object.fromEntries(Object.entries(makers).flatMap(([name, make]) => (below(2) ? [[name, make()]] : [])));
  return {
    product: () => some({ tags: list, brand: text, weight_g: number, vegan: () => below(2) === 0, launched: date }),
    style: () => some({ depth: number, shade: text }),
    sku: () => some({ ean: text, a: list }),
  };
}

module.exports = { DECLARED, DECLARED_ROWS, LONG, declaration, fieldMakers, loadRow };
