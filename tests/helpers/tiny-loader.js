'use strict';
const fs = require('node:fs');
const path = require('node:path');

/**
 * The rules of the loader once more, as short as they can be told and independent of both the loader and the generator:
 * whole files in memory, no speed. What it counts is what the generator's manifest must say.
 * @typedef {{ text: string, quoted: boolean }} Field
 * @typedef {{ loaded: number, repaired: number, rejected: Record<string, number> }} Counts
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

/** @param {string} line @returns {{ fields: Field[], open: boolean }} */
function split(line) {
  /** @type {Field[]} */
  const fields = [];
  const pattern = /"((?:[^"]|"")*)("?)([^,]*)(,|$)|([^,]*)(,|$)/gy;
  for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
    const quoted = match[5] === undefined;
    fields.push({ text: quoted ? match[1] + match[3] : match[5], quoted });
    if (quoted && !match[2]) return { fields, open: true };
    if ((quoted ? match[4] : match[6]) === '') break;
  }
  return { fields, open: false };
}

const isInteger = (/** @type {string} */ text) => /^\s*\d+\s*$/.test(text);

/** @param {string | undefined} line @param {number} width */
function isWholeRecord(line, width) {
  if (line === undefined) return false;
  const { fields, open } = split(line);
  return !open && fields.length === width && isInteger(fields[0].text);
}

/**
 * @param {string} text a file, one character for each byte
 * @param {Table} table
 */
function readRecords(text, table) {
  const width = columns[table].length;
  const lines = text.replace('\xEF\xBB\xBF', '').replace(/\n$/, '').split('\n');
  const hasHeader = !isInteger(lines[0].split(',')[0]);
  const header = hasHeader ? lines[0] : columns[table].join();
  const names = header.split(',').map((name) => name.toLowerCase().replace(/[\s_]/g, ''));
  const records = [];
  let next = hasHeader ? 1 : 0;
  while (next < lines.length) {
    let raw = lines[next++];
    let repaired = false;
    while (split(raw).open && next < lines.length) {
      repaired = isWholeRecord(lines[next], width);
      if (repaired) break;
      raw += `\n${lines[next++]}`;
    }
    records.push({ raw, repaired, fields: split(raw.replace(/\r$/, '')).fields });
  }
  return { records, names: names.map((name) => alias[name] ?? name) };
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

/** @param {string} name @param {Field} field */
const isRepaired = (name, { text, quoted }) =>
  (!quoted && text !== text.trim()) || (name === 'price' && /[^\d.]/.test(text));

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
    const count = (counts[`${table}.csv`] = { loaded: 0, repaired: 0, rejected: {} });
    /** @param {typeof records[0]} record */
    const judge = ({ raw, fields }) => {
      if (raw.includes('\0')) return 'nul_byte';
      if (!isUtf8(raw)) return 'invalid_utf8';
      if (fields.length < names.length) return 'missing_fields';
      const fault = names.map((name, n) => faultOf(name, fields[n])).find(Boolean);
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
      const extra = record.fields.length > names.length;
      const changed = names.some((name, n) => isRepaired(name, record.fields[n]));
      count[record.repaired || extra || changed ? 'repaired' : 'loaded'] += 1;
    }
  }
  return counts;
}

module.exports = { countByRules, readRecords };
