'use strict';
const { missingId, tables } = require('./tables');
/** @import { Table } from './tables' */

/**
 * The outcome of a row: loaded unchanged, loaded after a repair, or the reason of its rejection.
 * @typedef {'loaded' | 'repaired' | 'missing_fields' | 'bad_id' | 'bad_price' | 'bad_quantity' | 'bad_boolean' |
 *   'null_value' | 'bad_field' | 'nul_byte' | 'invalid_utf8' | 'surplus_fields' | 'bad_quotes' | 'duplicate' | 'orphan'} Outcome
 * @typedef {'space' | 'price_form' | 'leading_zeros' | 'dropped_value' | 'surplus_fields' | 'open_quote' | 'inner_quotes' | 'escaped_quotes'} Rule of a repair
 */

/**
 * A defect that the loader has a rule for (etl/README.md). A duplicate repeats the id of an unchanged row in another row, soon or at
 * the end of the file.
 * @typedef {object} Defect
 * @property {Outcome} outcome of the row with the defect
 * @property {(fields: string[], ordinal: number) => string[]} apply fields in the file's order, written as CSV
 * @property {Rule} [rule] of a row that is repaired
 * @property {Buffer} [bytes] at the end of the line, which no string can hold
 * @property {'near' | 'far'} [repeat]
 */

const badIds = ['0', '-3', '2147483648', 'abc', '1.5', '٣'];
const badPrices = ['-5', 'free', '1e3', 'NaN', '12.3.4'];
const badQuantities = ['-1', '2147483648', 'many', '1.5'];
const brokenText = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xc3]];

/** @param {Table} table @param {string} column @returns {number} its position in the dirty file */
function placeOf({ columns, dirty }, column) {
  const at = columns.indexOf(column);
  return dirty.order ? dirty.order.indexOf(at) : at;
}

/** @param {Outcome} outcome @param {number} at @param {(field: string, ordinal: number) => string} change */
const field = (outcome, at, change) => ({
  outcome,
  /** @param {string[]} fields @param {number} ordinal */
  apply: (fields, ordinal) => fields.with(at, change(fields[at], ordinal)),
});

/** @param {Rule} rule @param {number} at @param {(field: string, ordinal: number) => string} change */
const repair = (rule, at, change) => ({ ...field('repaired', at, change), rule });

/** @param {Outcome} outcome @param {number[]} bytes */
const junk = (outcome, bytes) => ({
  outcome,
  /** @param {string[]} fields */
  apply: (fields) => [...fields, '"'],
  bytes: Buffer.from([...bytes, 0x22]),
});

/** @param {string} value a text column as written @returns {string} text that runs over two lines */
const overTwoLines = (value) =>
  value.startsWith('"') ? `${value.slice(0, -1)}\nsecond line"` : '"first line\nsecond line"';

/** @param {number} width @returns {string} text with a line that by itself would be a row */
const aroundARow = (width) => `"first\n${Array(width).fill('2').join(',')}\nlast"`;

/** @param {string} value @returns {string} text without its closing quote */
const leftOpen = (value) => (value.startsWith('"') ? value.slice(0, -1) : '"left open');

/** @param {Table} table @returns {Defect[]} */
function everyTable({ dirty, columns }) {
  const last = columns.length - 1;
  return [
    repair('space', 0, (id) => ` ${id}  `),
    { outcome: 'repaired', rule: 'surplus_fields', apply: (fields) => [...fields, fields[last], ''] },
    { outcome: 'surplus_fields', apply: (fields) => [...fields, '"extra"', ''] },
    { outcome: 'missing_fields', apply: (fields) => fields.slice(0, last) },
    { outcome: 'missing_fields', apply: (fields) => fields.slice(0, 1) },
    ...badIds.map((bad) => field('bad_id', 0, () => bad)),
    junk('nul_byte', [0]),
    ...brokenText.map((bytes) => junk('invalid_utf8', bytes)),
    { outcome: 'loaded', apply: (fields) => fields, repeat: 'near' },
    { outcome: 'loaded', apply: (fields) => fields, repeat: 'far' },
    ...(dirty.lineEnd ? [] : [field('loaded', last, (value) => `${value}\r`)]),
  ];
}

/** @param {Table} table @returns {Defect[]} of the reference in the second canonical column */
function reference(table) {
  const { parent, columns, perProduct } = table;
  if (!parent) return [];
  const at = placeOf(table, columns[1]);
  const parents = tables[parent].perProduct / perProduct;
  return [
    field('bad_id', at, () => '9999999999'),
    field('orphan', at, (_, row) => `${missingId(tables[parent], Math.floor(row * parents))}`),
    field('orphan', at, () => '2147483647'),
  ];
}

/** The last quoted column, or the quotes of later ones would close an open quote. @type {Record<string, string>} */
const textColumns = { product: 'category', styles: 'name', photos: 'thumbnail_url', skus: 'size', features: 'value' };

/** @param {Table} table @returns {Defect[]} of a column of text */
function text(table) {
  const column = textColumns[table.name];
  if (!column) return [];
  const at = placeOf(table, column);
  const width = table.columns.length;
  const swallowsColumns = at < width - 1;
  return [
    swallowsColumns ? field('missing_fields', at, leftOpen) : repair('open_quote', at, leftOpen),
    field('loaded', at, overTwoLines),
    field('loaded', at, () => aroundARow(width)),
    repair('escaped_quotes', at, () => '"15\\" deep, 40\\" wide"'),
    repair('inner_quotes', at, () => '"a "quoted" word"'),
    field('bad_quotes', at, () => '"a "quoted", word"'),
    field('surplus_fields', at, () => 'a bare, comma'),
    ...(table.name === 'product' ? [field('loaded', placeOf(table, 'description'), overTwoLines)] : []),
  ];
}

const nulls = ['null', 'NULL', ''];

/** @typedef {[column: string, effect: Outcome | Rule, ...values: string[]]} Values as they are written; a rule repairs the row */
/** @type {Record<import('./tables').TableName, Values[]>} */
const valuesOf = {
  product: [
    ['default_price', 'space', ' 140'],
    ['default_price', 'price_form', '$140.50', '"default_price": 49'],
    ['default_price', 'bad_price', ...badPrices],
    ['name', 'null_value', ...nulls],
    ['default_price', 'null_value', ...nulls],
  ],
  styles: [
    ['original_price', 'space', ' 140'],
    ['original_price', 'price_form', '$140.50'],
    ['original_price', 'bad_price', ...badPrices],
    ['sale_price', 'bad_price', '-1'],
    ['default_style', 'bad_boolean', 'maybe', '2'],
    ['sale_price', 'loaded', ...nulls],
    ['original_price', 'null_value', ...nulls],
  ],
  photos: [['url', 'null_value', ...nulls]],
  skus: [
    ['quantity', 'bad_quantity', ...badQuantities],
    ['size', 'null_value', ...nulls],
  ],
  features: [
    ['value', 'loaded', ...nulls],
    ['feature', 'null_value', ...nulls],
  ],
  related: [
    ['related_product_id', 'orphan', '0', '2147483647'],
    ['related_product_id', 'bad_id', '-1', '2147483648'],
    ['related_product_id', 'null_value', ...nulls],
  ],
};

const rules = ['space', 'price_form', 'leading_zeros', 'dropped_value', 'escaped_quotes'];

/** @param {Table} table @returns {Defect[]} */
const ofValues = (table) =>
  [...valuesOf[table.name], ...(table.values ?? [])].flatMap(([column, effect, ...values]) => {
    const at = placeOf(table, column);
    return values.map((value) => {
      if (rules.includes(effect)) return repair(/** @type {Rule} */ (effect), at, () => value);
      return field(/** @type {Outcome} */ (effect), at, () => value);
    });
  });

/**
 * @param {Table} table
 * @returns {Defect[]} every defect that a file of this table can have; the first one does not reject its row
 */
const defectsOf = (table) => [...everyTable(table), ...reference(table), ...ofValues(table), ...text(table)];

/** @param {Outcome} outcome */
const isRejected = (outcome) => outcome !== 'loaded' && outcome !== 'repaired';

module.exports = { defectsOf, isRejected };
