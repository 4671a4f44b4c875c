'use strict';
const { gaps, missingId } = require('./ids');
const { tables } = require('./tables');
/** @import { Table } from './tables' */

/**
 * The outcome of a row: loaded unchanged, loaded after a repair, or the reason of its rejection.
 * @typedef {'loaded' | 'repaired' | 'missing_fields' | 'bad_id' | 'bad_price' | 'bad_quantity' | 'bad_boolean' |
 *   'null_value' | 'nul_byte' | 'invalid_utf8' | 'surplus_fields' | 'bad_quotes' | 'duplicate' | 'orphan'} Outcome
 * @typedef {'space' | 'price_form' | 'surplus_fields' | 'open_quote' | 'inner_quotes' | 'escaped_quotes'} Rule of a repair
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

/**
 * @param {Table} table
 * @returns {Defect[]}
 */
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

/**
 * @param {Table} table
 * @returns {Defect[]} of the reference in the second canonical column
 */
function reference(table) {
  const { parent, columns, perProduct } = table;
  if (!parent) return [];
  const at = placeOf(table, columns[1]);
  const parents = tables[parent].perProduct / perProduct;
  return [
    field('bad_id', at, () => '9999999999'),
    field('orphan', at, (_, row) => `${missingId(Math.floor(row * parents), gaps[parent])}`),
    field('orphan', at, () => '2147483647'),
  ];
}

/**
 * @param {Table} table
 * @param {string} column the last quoted one, or the quotes of later ones would close an open quote
 * @returns {Defect[]}
 */
function text(table, column) {
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
  ];
}

/** @param {Table} table @param {string} column @param {Outcome} outcome @param {string[]} values @returns {Defect[]} */
const written = (table, column, outcome, values) =>
  values.map((value) => field(outcome, placeOf(table, column), () => value));

/** @param {Table} table @param {string} column @param {Record<string, Rule>} values @returns {Defect[]} */
const repaired = (table, column, values) =>
  Object.entries(values).map(([value, rule]) => repair(rule, placeOf(table, column), () => value));

/** @param {Table} table @param {string} column @param {Outcome} outcome */
const nulls = (table, column, outcome) => written(table, column, outcome, ['null', 'NULL', '']);

/** @type {Record<string, (table: Table) => Defect[]>} */
const ofTable = {
  product: (table) => [
    ...repaired(table, 'default_price', {
      ' 140': 'space',
      '$140.50': 'price_form',
      '"default_price": 49': 'price_form',
    }),
    ...written(table, 'default_price', 'bad_price', badPrices),
    ...nulls(table, 'name', 'null_value'),
    ...nulls(table, 'default_price', 'null_value'),
    ...text(table, 'category'),
    field('loaded', table.columns.indexOf('description'), overTwoLines),
  ],
  styles: (table) => [
    ...repaired(table, 'original_price', { ' 140': 'space', '$140.50': 'price_form' }),
    ...written(table, 'original_price', 'bad_price', badPrices),
    ...written(table, 'sale_price', 'bad_price', ['-1']),
    ...written(table, 'default_style', 'bad_boolean', ['maybe', '2']),
    ...nulls(table, 'sale_price', 'loaded'),
    ...nulls(table, 'original_price', 'null_value'),
    ...text(table, 'name'),
  ],
  photos: (table) => [...nulls(table, 'url', 'null_value'), ...text(table, 'thumbnail_url')],
  skus: (table) => [
    ...written(table, 'quantity', 'bad_quantity', badQuantities),
    ...nulls(table, 'size', 'null_value'),
    ...text(table, 'size'),
  ],
  features: (table) => [
    ...nulls(table, 'value', 'loaded'),
    ...nulls(table, 'feature', 'null_value'),
    ...text(table, 'value'),
  ],
  related: (table) => [
    ...written(table, 'related_product_id', 'orphan', ['0', '2147483647']),
    ...written(table, 'related_product_id', 'bad_id', ['-1', '2147483648']),
    ...nulls(table, 'related_product_id', 'null_value'),
  ],
};

/**
 * @param {Table} table
 * @returns {Defect[]} every defect that a file of this table can have; the first one does not reject its row
 */
const defectsOf = (table) => [...everyTable(table), ...reference(table), ...ofTable[table.name](table)];

/** @param {Outcome} outcome */
const isRejected = (outcome) => outcome !== 'loaded' && outcome !== 'repaired';

module.exports = { defectsOf, isRejected };
