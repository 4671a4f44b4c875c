'use strict';
const fs = require('node:fs');
const path = require('node:path');

/**
 * The rules of the loader once more, as short as they can be told and independent of both the loader and the generator:
 * whole files in memory, no speed. What it counts is what the generator's manifest must say.
 * @typedef {{ text: string, quoted: boolean }} Field
 * @typedef {{ loaded: number, repaired: number, repairs: Record<string, number>, rejected: Record<string, number> }} Counts
 */

const columns = {
  product: ['id', 'name', 'slogan', 'description', 'category', 'price'],
  styles: ['id', 'productid', 'name', 'saleprice', 'price', 'defaultstyle'],
  photos: ['id', 'styleid', 'url', 'thumbnailurl'],
  skus: ['id', 'styleid', 'size', 'quantity'],
  features: ['id', 'productid', 'feature', 'value'],
  related: ['id', 'productid', 'relatedproductid'],
};
/** @typedef {keyof typeof columns} Table */
/** @type {Record<string, string>} */
const alias = { currentproductid: 'productid', defaultprice: 'price', originalprice: 'price' };
/** @type {Record<string, Table>} */
const references = { productid: 'product', styleid: 'styles', relatedproductid: 'product' };
const nullable = ['saleprice', 'value'];

/**
 * One way to read a record: what is inside quotes, and which quote closes them.
 * @typedef {{ rule: string, body: string }} Reading
 */
const fieldEnd = '(?=,|\\r?\\n|\\r?$)';
/** @type {Reading[]} */
const overLines = [
  { rule: '', body: '(?:[^"]|"")*' },
  { rule: 'escaped_quotes', body: '(?:[^"\\\\]|\\\\(?!")|\\\\"|"")*' },
];
const looseBody = `(?:[^"\\\\]|\\\\(?!")|\\\\"|""|"(?!${fieldEnd.slice(3)})*`;
/** @type {Reading[]} */
const onOneLine = [
  { rule: 'inner_quotes', body: looseBody },
  { rule: 'open_quote', body: looseBody },
];

/**
 * @param {string} text @param {number} at where a record begins
 * @param {Reading} reading @param {number} width
 * @returns {{ fields: Field[], end: number, surplus: boolean, fits: boolean }}
 */
function split(text, at, { rule, body }, width) {
  const close = rule === 'open_quote' ? `(?:"${fieldEnd}|$)` : `"${fieldEnd}`;
  const label = `"default_price": \\d+${fieldEnd}`;
  const pattern = new RegExp(`(${label})|"(${body})${close}|((?!")[^,\\n]*?)${fieldEnd}`, 'y');
  /** @type {Field[]} */
  const fields = [];
  for (let end = at; ; end += 1) {
    pattern.lastIndex = end;
    const match = pattern.exec(text);
    if (!match) return { fields, end, surplus: false, fits: false };
    const quoted = match[2] !== undefined;
    const value = quoted ? match[2].replace(rule ? /""|\\"/g : /""/g, '"') : (match[1] ?? match[3]);
    fields.push({ text: value, quoted });
    end = pattern.lastIndex;
    if (text[end] === ',') continue;
    const surplus = fields.splice(width);
    const last = fields.at(-1)?.text;
    const isCopied = surplus.every((field) => field.text === '' || field.text === last);
    return { fields, end, surplus: surplus.length > 0, fits: fields.length === width && isCopied };
  }
}

/** @param {string} text @param {number} at @param {Reading[]} ways @param {number} width */
function readings(text, at, ways, width) {
  return ways.map((way) => ({ ...split(text, at, way, width), rule: way.rule })).find(({ fits }) => fits);
}

/** @param {string} line that no reading gives the right number of fields @param {number} width */
function reasonOf(line, width) {
  const { fields, end } = split(line, 0, overLines[0], width);
  const isOpen = /^"[^"]*$/.test(line.slice(end));
  if (end < line.length && !isOpen) return 'bad_quotes';
  return fields.length + Number(isOpen) < width ? 'missing_fields' : 'surplus_fields';
}

/** @param {string} text @param {number} at */
const lineEnd = (text, at) => (text.includes('\n', at) ? text.indexOf('\n', at) : text.length);

const isInteger = (/** @type {string} */ text) => /^\s*\d+\s*$/.test(text);

/**
 * @param {string} text a file, one character for each byte
 * @param {Table} table
 */
function readRecords(text, table) {
  const width = columns[table].length;
  const mark = text.startsWith('\xEF\xBB\xBF') ? 3 : 0;
  const firstLine = text.slice(mark, text.indexOf('\n'));
  const hasHeader = !isInteger(firstLine.split(',')[0]);
  const header = hasHeader ? firstLine : columns[table].join();
  const names = header.split(',').map((name) => name.toLowerCase().replace(/[\s_]/g, ''));
  const records = [];
  let at = hasHeader ? text.indexOf('\n') + 1 : mark;
  while (at < text.length) {
    let found = readings(text, at, overLines, width);
    let end = found?.end ?? 0;
    let reason = '';
    if (!found) {
      end = lineEnd(text, at);
      const line = text.slice(at, end).replace(/\r$/, '');
      found = readings(line, 0, onOneLine, width);
      reason = found ? '' : reasonOf(line, width);
    }
    const raw = text.slice(at, end);
    records.push({
      raw,
      reason,
      rule: found?.rule ?? '',
      surplus: found?.surplus ?? false,
      fields: found?.fields ?? [],
    });
    at = lineEnd(text, end) + 1;
  }
  return { records, names: names.map((name) => alias[name.trim()] ?? name.trim()) };
}

/** @param {string} raw */
function isUtf8(raw) {
  try {
    return Boolean(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(raw, 'latin1')));
  } catch {
    return false;
  }
}

/** @param {string} text @param {number} least */
const inRange = (text, least) => /^\d+$/.test(text) && +text >= least && +text <= 2147483647;

/** @param {string} name @param {Field} field @returns {string} a reason, or nothing */
function faultOf(name, { text, quoted }) {
  const value = quoted ? text : text.trim();
  if (!quoted && /^(null)?$/i.test(value)) return nullable.includes(name) ? '' : 'null_value';
  if (name === 'relatedproductid' && value === '0') return 'orphan';
  if (name === 'id' || name in references) return inRange(value, 1) ? '' : 'bad_id';
  if (name === 'quantity') return inRange(value, 0) ? '' : 'bad_quantity';
  if (name === 'defaultstyle') return /^[01]$/.test(value) ? '' : 'bad_boolean';
  const isPrice = name === 'price' || name === 'saleprice';
  return isPrice && !/^("?default_price"?:\s*|\$)?\d+(\.\d+)?$/.test(value) ? 'bad_price' : '';
}

/** @param {string} name @param {Field} field @returns {string} the rule that repairs it, or nothing */
const ruleOf = (name, { text, quoted }) => {
  if (name === 'price' && /[^\d.\s]/.test(text)) return 'price_form';
  return !quoted && text !== text.trim() ? 'space' : '';
};

/**
 * @param {string} folder
 * @returns {Record<string, Counts>} by file
 */
function countByRules(folder) {
  /** @type {Record<string, Set<number>>} */
  const loadedIds = {};
  /** @type {Record<string, Counts>} */
  const counts = {};
  for (const table of /** @type {Table[]} */ (Object.keys(columns))) {
    const text = fs.readFileSync(path.join(folder, `${table}.csv`), 'latin1');
    const { records, names } = readRecords(text, table);
    const ids = (loadedIds[table] = new Set());
    /** @type {Counts} */
    const count = (counts[`${table}.csv`] = { loaded: 0, repaired: 0, repairs: {}, rejected: {} });
    /** @param {typeof records[0]} record */
    const judge = ({ raw, reason, fields }) => {
      if (raw.includes('\0')) return 'nul_byte';
      if (!isUtf8(raw)) return 'invalid_utf8';
      const fault = reason || names.map((name, n) => faultOf(name, fields[n])).find(Boolean);
      if (fault) return fault;
      if (ids.has(+fields[names.indexOf('id')].text)) return 'duplicate';
      const isKnown = (/** @type {string} */ name, /** @type {number} */ n) =>
        !references[name] || loadedIds[references[name]].has(+fields[n].text);
      return names.every(isKnown) ? '' : 'orphan';
    };
    for (const record of records) {
      const reason = judge(record);
      if (reason) {
        count.rejected[reason] = (count.rejected[reason] ?? 0) + 1;
        continue;
      }
      ids.add(+record.fields[names.indexOf('id')].text);
      const found = names.map((name, n) => ruleOf(name, record.fields[n])).find(Boolean);
      const rule = record.rule || (record.surplus ? 'surplus_fields' : found);
      if (rule) count.repairs[rule] = (count.repairs[rule] ?? 0) + 1;
      count[rule ? 'repaired' : 'loaded'] += 1;
    }
  }
  return counts;
}

module.exports = { countByRules, readRecords };
