'use strict';

/** Fields that a shop of the tests declares, and random values of them. */

/** @typedef {import('../../server/search/delta/terms').FieldValue} FieldValue */
/** @typedef {Record<string, FieldValue>} Values by field; decimals are texts, as no number holds all of them */
/** @typedef {import('../../server/core/field-range').Field} Field @typedef {Omit<Field, 'name' | 'of'>} Declared */
/** @typedef {import('./search-products').Product} Product */

/** @param {Field['type']} type @param {Partial<Declared>} [uses] @returns {Declared} */
const declared = (type, uses) => ({ type, facet: false, sort: false, search: null, ...uses });

/** @type {Record<Field['of'], Record<string, Declared>>} fields.json with all members */
const DECLARATION = {
  products: {
    brand: declared('text', { facet: true, search: 'attribute' }),
    model: declared('text', { search: 'name' }),
    weight_g: declared('number', { facet: true, sort: true }),
    rating: declared('number', { sort: true }),
    launched: declared('date', { facet: true, sort: true }),
    vegan: declared('boolean', { facet: true }),
    tags: declared('list', { facet: true, search: 'text' }),
    note: declared('text'),
  },
  styles: {
    colour: declared('text', { facet: true, search: 'attribute' }),
    width: declared('number', { facet: true }),
  },
  skus: { gtin: declared('text', { facet: true, search: 'text' }), packed: declared('date', { facet: true }) },
};
const FIELDS = Object.entries(DECLARATION).flatMap(([of, fields]) =>
  Object.entries(fields).map(([name, field]) => ({ ...field, name, of: /** @type {Field['of']} */ (of) })),
);

const DATES = [
  '2024-02-29',
  '2026-01-31',
  '2026-01-31T00:00:00Z',
  '2026-01-31T09:30:00.500Z',
  '2026-01-31T10:30:00.5+01:00',
  '2026-01-31T23:59:59.999999999Z',
  '2026-02-01T00:30+00:45',
  '2026-02-01T12:00',
  '0001-01-01',
  '9999-12-31',
];
const NUMBERS = [0, 100, 250, '250.5', '-1', '-0.000001', '99999999999999999999.999999999999999999', 7, '7.25', 500];
/** @type {Record<string, FieldValue[]>} */
const VALUES = {
  brand: ['Acme', 'acme', 'Größe=1%', '', 'Rain Coat', 'v'.repeat(201)],
  model: ['jacket', 'X100', 'Acme Parka', '服装'],
  weight_g: NUMBERS,
  rating: NUMBERS,
  launched: DATES,
  vegan: [true, false],
  tags: [['red', 'warm'], ['red'], ['Winter jacket', '50% off', 'red'], ['true']],
  note: ['hidden'],
  colour: ['red', 'Dark green', 'デニム'],
  width: NUMBERS,
  gtin: ['4006381333931', 'AB-1', '501'],
  packed: DATES,
};

/**
 * Values of the fields of a table.
 * @param {Field['of']} table @param {ReturnType<typeof import('./search-products').picking>} random
 * @returns {Values}
 */
const randomValues = (table, { chance, pick }) =>
  Object.fromEntries(
    Object.keys(DECLARATION[table])
      .filter(() => chance(0.6))
      .map((name) => [name, pick(VALUES[name])]),
  );

/** All values of a product, its styles and its skus. @param {Pick<Product, 'fields' | 'styles'>} product @returns {[name: string, value: FieldValue][]} */
const fieldsOf = ({ fields = {}, styles }) =>
  [fields, ...styles.flatMap((style) => [style.fields ?? {}, ...style.skus.map((sku) => sku.fields ?? {})])].flatMap(
    (values) => Object.entries(values),
  );

/** The texts that a product has of a field. @param {Product} product @param {string} name @returns {string[]} */
const textsOf = (product, name) =>
  fieldsOf(product)
    .filter(([each]) => each === name)
    .flatMap(([, value]) => (Array.isArray(value) ? value : [String(value)]));

/** fields.json without what is left out. */
const fieldsJson = () =>
  JSON.stringify(DECLARATION, (_, value) => (value === null || value === false ? undefined : value));

/** @param {FieldValue | undefined} value @returns {string} a cell of a file */
const cellOf = (value) => `"${[value ?? ''].flat().join('|').replaceAll('"', '""')}"`;

/** @param {Field['of']} table @param {Values} values @returns {string[]} the cells of all fields */
const cellsOf = (table, values = {}) => Object.keys(DECLARATION[table]).map((name) => cellOf(values[name]));

/** The six files of products, and fields.json. @param {Product[]} products @returns {Record<string, string>} by name */
function filesOf(products) {
  const columns = (/** @type {Field['of']} */ table) => Object.keys(DECLARATION[table]);
  /** @type {Record<string, (string | number)[][]>} */
  const rows = { product: [], styles: [], skus: [], features: [] };
  for (const { id, name, slogan, description, category, price, features, styles, fields } of products) {
    rows.product.push([
      id,
      ...[name, slogan, description, category].map(cellOf),
      price,
      ...cellsOf('products', fields),
    ]);
    for (const { name: feature, value } of features)
      rows.features.push([rows.features.length + 1, id, cellOf(feature), value === null ? 'null' : cellOf(value)]);
    for (const style of styles) {
      const styleId = rows.styles.push([]);
      const cells = [styleId, id, cellOf(style.name), 'null', price, 1, ...cellsOf('styles', style.fields)];
      rows.styles[styleId - 1] = cells;
      for (const { size, quantity, fields: own } of style.skus)
        rows.skus.push([rows.skus.length + 1, styleId, cellOf(size), quantity, ...cellsOf('skus', own)]);
    }
  }
  /** @type {Record<string, string[]>} */
  const heads = {
    product: ['id', 'name', 'slogan', 'description', 'category', 'default_price', ...columns('products')],
    styles: ['id', 'productId', 'name', 'sale_price', 'original_price', 'default_style', ...columns('styles')],
    skus: ['id', 'styleId', 'size', 'quantity', ...columns('skus')],
    features: ['id', 'product_id', 'feature', 'value'],
    photos: ['id', 'styleId', 'url', 'thumbnail_url'],
    related: ['id', 'current_product_id', 'related_product_id'],
  };
  const files = Object.entries(heads).map(([name, head]) => [
    `${name}.csv`,
    [head, ...(rows[name] ?? [])].map((row) => `${row.join()}\n`).join(''),
  ]);
  return { ...Object.fromEntries(files), 'fields.json': fieldsJson() };
}

module.exports = {
  filesOf,
  DECLARATION,
  FIELDS,
  VALUES,
  fieldsOf,
  randomValues,
  textsOf,
};
