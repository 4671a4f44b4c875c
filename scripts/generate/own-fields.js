'use strict';
const { hash } = require('./random');
const { quote } = require('./quote');
/** @import { Table, TableName } from './tables' */

/** fields.json of a set: each type, in each table that may have fields. */
const declaration = {
  products: {
    brand: { type: 'text', facet: true, search: 'attribute', card: true },
    weight_g: { type: 'number', column: 'Weight (g)', facet: true, sort: true },
    launched: { type: 'date', facet: true, sort: true, invalid: 'drop' },
    vegan: { type: 'boolean', facet: true, card: true },
    tags: { type: 'list', separator: '|', facet: true, search: 'text' },
  },
  styles: { colour: { type: 'text', column: 'Colour Name', facet: true, search: 'attribute' } },
  skus: { code: { type: 'text', lookup: true }, gtin: { type: 'text', column: 'EAN', lookup: true } },
};

const brands = ['Acme', 'Nordvik', 'Hüttenzeug', 'Åse & Søn', '15" Works', 'Café Noir', 'Plain Goods', 'Tidewater'];
const tags = ['new', 'sale', 'organic', 'recycled', 'made to order', 'last pieces', 'gift'];
const colours = ['Crimson', 'Forest Green', 'Navy', 'Sand', 'Off White', 'Black', 'Heather Grey'];

/** @typedef {(bound: number) => number} Chance */
/** @template T @param {Chance} chance @param {T[]} from @returns {T} */
const pick = (chance, from) => from[chance(from.length)];
/** @param {number} number @param {number} digits */
const padded = (number, digits) => `${number}`.padStart(digits, '0');

/** @param {Chance} chance @returns {string} a day, and for each third product a time of it */
function launchOf(chance) {
  const day = `${2016 + chance(11)}-${padded(1 + chance(12), 2)}-${padded(1 + chance(28), 2)}`;
  return pick(chance, [day, day, `${day}T${padded(chance(24), 2)}:30:00Z`, `${day}T09:15+02:00`]);
}

/** @type {Partial<Record<TableName, Record<string, (chance: Chance, ordinal: number) => string>>>} by header; one that nothing declares */
const columnsOf = {
  product: {
    brand: (chance) => quote(pick(chance, brands)),
    'Weight (g)': (chance) => `${20 + chance(3000)}${pick(chance, ['', '', '.5', '.50'])}`,
    launched: launchOf,
    vegan: (chance) => pick(chance, ['0', '1', 'true', 'false']),
    'ERP key': (_, ordinal) => `K-${ordinal}`,
    tags: (chance) => quote(tags.filter(() => chance(3) === 0).join('|')),
  },
  styles: { 'Colour Name': (chance) => pick(chance, colours) },
  skus: {
    code: (chance, ordinal) => `${pick(chance, ['AB', 'CD'])}-${chance(20) === 0 ? 1 : ordinal}`,
    EAN: (_, ordinal) => `40${padded(ordinal, 11)}`,
  },
};

/** @type {Partial<Record<TableName, import('./defects').Values[]>>} */
const valuesOf = {
  product: [
    ['Weight (g)', 'bad_field', '1e3', 'heavy', '1 000', '$12'],
    ['Weight (g)', 'leading_zeros', '0012.5'],
    ['Weight (g)', 'space', ' 12.5'],
    ['Weight (g)', 'loaded', '-0.50', '"12.5"', 'null', '""'],
    ['vegan', 'bad_field', 'yes', '2'],
    ['launched', 'dropped_value', '2026-02-30', '31.01.2026', 'soon'],
    ['tags', 'loaded', '"||"', 'new'],
    ['brand', 'bad_field', quote('x'.repeat(17_000))],
    ['brand', 'escaped_quotes', '"15\\" Works"'],
  ],
};

/**
 * A table with columns for the fields, after its own; in a dirty file after the id, where no quote of them closes an open one.
 * @param {Table} table @param {number} seed @returns {Table}
 */
function withFields(table, seed) {
  const own = Object.entries(columnsOf[table.name] ?? {});
  if (own.length === 0) return table;
  const columns = [...table.columns, ...own.map(([header]) => header)];
  const places = own.map((_, n) => table.columns.length + n);
  const [first, ...rest] = table.dirty.order ?? table.columns.map((_, n) => n);
  const order = [first, ...places, ...rest];
  const dirtyHeaders = table.dirty.header.split(/, ?/);
  return {
    ...table,
    columns,
    clean: { ...table.clean, header: [table.clean.header, ...own.map(([header]) => header)].join(',') },
    dirty: {
      ...table.dirty,
      order,
      header: [dirtyHeaders[0], ...own.map(([header]) => header), ...dirtyHeaders.slice(1)].join(','),
    },
    values: valuesOf[table.name],
    more: (ordinal) => own.map(([header, valueOf]) => written(hash(seed, columns.indexOf(header)), ordinal, valueOf)),
  };
}

/** @param {number} seed of a column @param {number} ordinal @param {(chance: Chance, ordinal: number) => string} valueOf */
function written(seed, ordinal, valueOf) {
  let drawn = 0;
  /** @param {number} bound */
  const chance = (bound) => hash(seed, ordinal * 16 + (drawn += 1)) % bound;
  return chance(8) === 0 ? '' : valueOf(chance, ordinal);
}

module.exports = { declaration, withFields };
