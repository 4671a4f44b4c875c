'use strict';

const fs = require('node:fs');
const path = require('node:path');

/** @typedef {Record<string, any>} Row by column; a missing one is not in the file */
/**
 * A catalog in memory. Lists are by their product or style.
 * @typedef {{ products: Map<number, Row>, styles: Map<number, Row>, skus: Map<number, Row>, photos: Map<number, Row[]>, related: Map<number, Row[]>, features: Map<number, Row[]> }} Model
 */
/** @typedef {(bound: number) => number} Below */

/** The fields that the catalog declares. */
const FIELDS = {
  products: {
    brand: { type: 'text', facet: true, search: 'attribute', card: true },
    weight_g: { type: 'number', facet: true, sort: true },
    tags: { type: 'list', facet: true },
  },
  styles: { colour: { type: 'text', column: 'Colour Name', facet: true } },
  skus: { code: { type: 'text', lookup: true } },
};
const COLUMNS = {
  products: [...['id', 'name', 'slogan', 'description', 'category', 'default_price'], 'brand', 'weight_g', 'tags'],
  styles: ['id', 'productId', 'name', 'sale_price', 'original_price', 'default_style', 'Colour Name'],
  skus: ['id', 'styleId', 'size', 'quantity', 'code'],
  photos: ['id', 'styleId', 'url', 'thumbnail_url'],
  related: ['id', 'current_product_id', 'related_product_id'],
  features: ['id', 'product_id', 'feature', 'value'],
};
const FILES = {
  ...{ products: 'product.csv', styles: 'styles.csv', skus: 'skus.csv' },
  ...{ photos: 'photos.csv', related: 'related.csv', features: 'features.csv' },
};
/** The column of each list that names its owner. */
const OWNERS = { photos: 'styleId', related: 'current_product_id', features: 'product_id' };

/** @param {any} value texts in quotes, so that none is taken for a null */
const cell = (value) => (typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value));

/** @param {string} dir @param {string} file @param {string[]} columns @param {Row[]} rows */
const writeFile = (dir, file, columns, rows) =>
  fs.writeFileSync(
    path.join(dir, file),
    [columns.join(','), ...rows.map((row) => columns.map((name) => cell(row[name])).join(','))].join('\n') + '\n',
  );

/** @param {Below} below */
function makersOf(below) {
  const text = () => ['', 'a "b", c', 'ü – 👟', ' space ', 'null', 'long '.repeat(30)][below(6)] + below(50);
  const price = () => below(300) + [0, 0.5, 0.25][below(3)];
  /** @template T @param {() => T} make @returns {T[]} one or more: a part cannot empty a list */
  const list = (make) => Array.from({ length: 1 + below(3) }, make);
  const own = (/** @type {() => any} */ make) => (below(4) === 0 ? null : make());
  return {
    list,
    products: () => ({
      ...{ name: text(), slogan: text(), description: text(), category: ['Hats', 'Shoes'][below(2)] },
      ...{ default_price: price(), brand: own(() => ['Acme', 'Ünited'][below(2)]) },
      ...{ weight_g: own(() => below(9)), tags: own(() => ['a', 'a|b', 'c'][below(3)]) },
    }),
    styles: () => ({
      ...{ name: text(), sale_price: own(price), original_price: price(), default_style: below(2) },
      'Colour Name': own(() => ['Red', 'Blue'][below(2)]),
    }),
    skus: () => ({ size: ['S', 'M', '7.5', text()][below(4)], quantity: below(3), code: own(() => `c-${below(99)}`) }),
    photos: () => ({ url: `https://x/${below(9)}`, thumbnail_url: `http://x/${below(9)}` }),
    features: () => ({ feature: text(), value: own(text) }),
  };
}

/** @param {Below} below @param {number} products @returns {Model} */
function randomModel(below, products) {
  const make = makersOf(below);
  /** @type {Model} */
  const model = {
    ...{ products: new Map(), styles: new Map(), skus: new Map() },
    ...{ photos: new Map(), related: new Map(), features: new Map() },
  };
  for (let id = 1; id <= products; id += 1) {
    model.products.set(id, make.products());
    if (below(3)) model.features.set(id, make.list(make.features));
    if (below(3))
      model.related.set(
        id,
        make.list(() => ({ related_product_id: 1 + below(products) })),
      );
    for (let place = below(4); place > 0; place -= 1)
      addStyle(model, make, { style: 10 * id + place, product: id, below });
  }
  return model;
}

/** @param {Model} model @param {ReturnType<typeof makersOf>} make @param {{ style: number, product: number, below: Below }} at */
function addStyle(model, make, { style, product, below }) {
  model.styles.set(style, { productId: product, ...make.styles() });
  if (below(3)) model.photos.set(style, make.list(make.photos));
  for (let place = below(4); place > 0; place -= 1)
    model.skus.set(10 * style + place, { styleId: style, ...make.skus() });
}

/** Writes the six files, and fields.json. @param {string} dir @param {Model} model */
function writeModel(dir, model) {
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(dir, 'fields.json'), JSON.stringify(FIELDS));
  for (const name of /** @type {const} */ (['products', 'styles', 'skus']))
    writeFile(dir, FILES[name], COLUMNS[name], rowsOf(model[name]));
  for (const name of /** @type {const} */ (['photos', 'related', 'features']))
    writeFile(dir, FILES[name], COLUMNS[name], listsOf(name, model[name]));
}

/** @param {Map<number, Row>} rows @returns {Row[]} */
const rowsOf = (rows) => [...rows].map(([id, row]) => ({ id, ...row }));

/** @param {keyof typeof OWNERS} name @param {Map<number, Row[]>} lists @returns {Row[]} */
const listsOf = (name, lists) =>
  [...lists]
    .flatMap(([owner, rows]) => rows.map((row) => ({ [OWNERS[name]]: owner, ...row })))
    .map((row, index) => ({ id: index + 1, ...row }));

/**
 * Writes a random part of a catalog, with some rows that are rejected, and brings it into the model.
 * @param {string} dir @param {Model} model @param {Below} below
 */
function writePart(dir, model, below) {
  fs.mkdirSync(dir, { recursive: true });
  const make = makersOf(below);
  const some = (/** @type {Iterable<number>} */ ids, n = 3) => [...ids].filter(() => below(n) === 0);
  const first = { products: Math.max(...model.products.keys()) + 1, styles: 100_000 + below(1000) * 100 };
  const news = [first.products, first.products + 1];
  const products = [
    ...some(model.products.keys()).map((id) => ({ id, ...make.products() })),
    ...news.map((id) => ({ id, ...make.products() })),
  ];
  const columns = [...COLUMNS.products];
  update(dir, model, 'products', columns, products);
  const styles = [
    ...some(model.styles.keys()).map((id) => ({ id, productId: model.styles.get(id)?.productId, ...make.styles() })),
    ...[...news, 1].map((product, place) => ({ id: first.styles + place, productId: product, ...make.styles() })),
  ];
  update(dir, model, 'styles', COLUMNS.styles, styles, [
    { id: first.styles + 9, productId: 999_999, ...make.styles() },
  ]);
  const siblings = (/** @type {number} */ sku) => {
    const product = model.styles.get(model.skus.get(sku)?.styleId)?.productId;
    return [...model.styles].filter(([, style]) => style.productId === product).map(([id]) => id);
  };
  const skus = [
    ...some(model.skus.keys()).map((id) => ({ id, styleId: siblings(id)[below(siblings(id).length)], ...make.skus() })),
    ...[0, 1, 2, 3].map((place) => ({
      id: 10 * first.styles + place,
      styleId: first.styles + below(3),
      ...make.skus(),
    })),
  ];
  update(dir, model, 'skus', COLUMNS.skus, skus, [
    { id: 10 * first.styles + 9, styleId: first.styles + 9, ...make.skus() },
  ]);
  replaceLists(dir, model, { make, some, below });
  const prices = some(model.styles.keys()).map((id) => ({
    style_id: id,
    original_price: below(90),
    sale_price: below(2) ? null : below(90),
  }));
  writeFile(
    dir,
    'prices.csv',
    ['style_id', 'original_price', 'sale_price'],
    [...prices, { style_id: 999_999, original_price: 1, sale_price: 1 }],
  );
  for (const { style_id: id, ...row } of prices) Object.assign(/** @type {Row} */ (model.styles.get(id)), row);
  const quantities = some(model.skus.keys()).map((id) => ({ sku_id: id, quantity: below(3) }));
  writeFile(
    dir,
    'quantities.csv',
    ['sku_id', 'quantity'],
    [...quantities, { sku_id: 999_999, quantity: 1 }, { sku_id: 1, quantity: -1 }],
  );
  for (const { sku_id: id, quantity } of quantities)
    Object.assign(/** @type {Row} */ (model.skus.get(id)), { quantity });
}

/**
 * Writes rows that change what is there or are new, and brings those into the model.
 * @param {string} dir @param {Model} model @param {'products' | 'styles' | 'skus'} name @param {string[]} columns @param {Row[]} rows
 * @param {Row[]} [rejected]
 */
function update(dir, model, name, columns, rows, rejected = []) {
  writeFile(dir, FILES[name], columns, [...rows, ...rejected]);
  for (const { id, ...row } of rows) model[name].set(id, { ...model[name].get(id), ...row });
}

/** @param {string} dir @param {Model} model @param {{ make: ReturnType<typeof makersOf>, some: (ids: Iterable<number>) => number[], below: Below }} random */
function replaceLists(dir, model, { make, some, below }) {
  const ids = [...model.products.keys()];
  const related = () => ({ related_product_id: ids[below(ids.length)] });
  const makers = { photos: make.photos, features: make.features, related };
  for (const name of /** @type {const} */ (['photos', 'related', 'features'])) {
    const owners = some(name === 'photos' ? model.styles.keys() : ids);
    const lists = new Map(
      owners.map((owner) => [owner, /** @type {Row[]} */ (make.list(/** @type {any} */ (makers[name])))]),
    );
    for (const [owner, rows] of lists) model[name].set(owner, rows);
    lists.set(999_999, [makers[name]()]);
    writeFile(dir, FILES[name], COLUMNS[name], listsOf(name, lists));
  }
}

/**
 * Writes a part whose files have the id and some other columns, and brings it into the model.
 * @param {string} dir @param {Model} model @param {Below} below
 */
function writeColumns(dir, model, below) {
  fs.mkdirSync(dir, { recursive: true });
  const make = makersOf(below);
  for (const name of /** @type {const} */ (['products', 'styles', 'skus'])) {
    const wanted = Object.keys(make[name]()).filter(() => below(2) === 0);
    const ids = [...model[name].keys()].filter(() => below(2) === 0);
    const rows = ids.map((id) => ({
      id,
      ...Object.fromEntries(Object.entries(make[name]()).filter(([key]) => wanted.includes(key))),
    }));
    update(dir, model, name, [...wanted, 'id'], rows);
  }
}

module.exports = { randomModel, writeColumns, writeModel, writePart };
