'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { generate } = require('../../../scripts/generate/generate');
const { tables } = require('../../../scripts/generate/tables');
/** @typedef {import('../../../scripts/generate/tables').TableName} Table */

const fileNames = Object.values(tables).map((table) => table.file);
/** @type {string} */
let folder;
/** @type {string} */
let clean;
/** @type {Awaited<ReturnType<typeof generate>>} */
let manifest;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'generate-'));
  clean = path.join(folder, 'clean');
  manifest = await generate({ out: clean, products: 5000, seed: 1 });
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** @param {string} out */
function hashOf(out) {
  const hash = crypto.createHash('sha256');
  for (const name of [...fileNames, 'manifest.json']) hash.update(fs.readFileSync(path.join(out, name)));
  return hash.digest('hex');
}

/** @type {Map<Table, string[][]>} */
const parsed = new Map();

/** @param {Table} table @returns {string[][]} rows of the clean set, whose fields have no line ends */
function rowsOf(table) {
  const known = parsed.get(table);
  if (known) return known;
  const [, ...lines] = fs
    .readFileSync(path.join(clean, `${table}.csv`), 'latin1')
    .trimEnd()
    .split('\n');
  const fields = (/** @type {string} */ line) => line.match(/(?<=^|,)("([^"]|"")*"|[^",]*)/g) ?? [];
  const rows = lines.map((line) => fields(line).map((field) => field.replace(/^"|"$/g, '').replaceAll('""', '"')));
  parsed.set(table, rows);
  return rows;
}

/** @param {Table} table @param {number} parent */
const rowsUnder = (table, parent) => rowsOf(table).filter((row) => row[1] === `${parent}`);

describe('the same options', () => {
  test('give the same bytes, and another seed gives others', async () => {
    const hashes = [];
    for (const seed of [1, 1, 2]) {
      const out = path.join(folder, `set-${hashes.length}`);
      await generate({ out, products: 500, seed });
      hashes.push(hashOf(out));
    }
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });
});

describe('a clean set', () => {
  test('needs no repair and loses no row, and the manifest counts its rows', () => {
    for (const [table, { file, columns }] of Object.entries(tables)) {
      const { bytes, ...counts } = manifest.files[file];
      const rows = rowsOf(/** @type {Table} */ (table));
      expect(counts).toEqual({ rows: rows.length, loaded: rows.length, repaired: 0, repairs: {}, rejected: {} });
      expect(new Set(rows.map((row) => row.length))).toEqual(new Set([columns.length]));
      expect(fs.statSync(path.join(clean, file)).size).toBe(bytes);
    }
    expect(manifest.files['product.csv'].rows).toBe(5000);
  });

  test.each([
    ['styles.csv', 'product.csv', 1.96],
    ['features.csv', 'product.csv', 2.22],
    ['related.csv', 'product.csv', 4.51],
    ['photos.csv', 'styles.csv', 2.89],
    ['skus.csv', 'styles.csv', 5.78],
  ])('has as many %s for each row of %s as the real data', (file, parent, ratio) => {
    const measured = manifest.files[file].rows / manifest.files[parent].rows;
    expect(Math.abs(measured / ratio - 1)).toBeLessThan(0.04);
  });

  test('has 2.3 KB for each product, as the real data', () => {
    const bytes = fileNames.reduce((sum, name) => sum + manifest.files[name].bytes, 0);
    expect(Math.abs(bytes / 5000 / 2300 - 1)).toBeLessThan(0.08);
  });

  test.each(/** @type {Table[]} */ (Object.keys(tables)))('leaves gaps in the ids of %s', (table) => {
    const ids = new Set(rowsOf(table).map((row) => +row[0]));
    const largest = Math.max(...ids);
    expect(largest).toBeGreaterThan(ids.size);
    if (table === 'product') expect(manifest.largestProductId).toBe(largest);
  });

  test('may have fewer products than there are edges, and is still complete', async () => {
    const out = path.join(folder, 'tiny');
    const { files } = await generate({ out, products: 1, seed: 1 });
    expect(files['product.csv'].loaded).toBe(1);
    expect(fs.readFileSync(path.join(out, 'related.csv'), 'utf8')).toBe('id,current_product_id,related_product_id\n');
  });
});

describe('the first products show the edges of the contract', () => {
  const stylesOf = (/** @type {number} */ product) => rowsUnder('styles', product);

  test('1: default not first, ids out of order, a repeated size, sale and no sale', () => {
    const styles = stylesOf(1);
    expect(styles.map((style) => style[5])).toEqual(['0', '1', '0']);
    expect(styles.map((style) => style[3] === 'null')).toEqual([false, true, true]);
    for (const table of /** @type {Table[]} */ (['photos', 'skus'])) {
      const ids = rowsUnder(table, 1).map((row) => +row[0]);
      expect(ids).not.toEqual([...ids].sort((a, b) => a - b));
    }
    const sizes = rowsUnder('skus', 1).map((row) => row[2]);
    expect(new Set(sizes).size).toBeLessThan(sizes.length);
  });

  test('2: styles without photos, without skus, without both', () => {
    const has = (/** @type {Table} */ table) => stylesOf(2).map((style) => rowsUnder(table, +style[0]).length > 0);
    expect(has('photos')).toEqual([false, true, false]);
    expect(has('skus')).toEqual([false, false, true]);
  });

  test('3, 4, 5: no styles, no features, no related', () => {
    expect(stylesOf(3)).toEqual([]);
    expect(rowsUnder('features', 4)).toEqual([]);
    expect(rowsUnder('related', 5)).toEqual([]);
  });

  test('6: no default style', () => {
    expect(stylesOf(6).map((style) => style[5])).toEqual(['0', '0']);
  });

  test('7: repeated and self related', () => {
    const targets = rowsUnder('related', 7).map((row) => row[2]);
    expect(targets).toContain('7');
    expect(new Set(targets).size).toBeLessThan(targets.length);
  });

  test('8: a null value and a repeated feature', () => {
    const features = rowsUnder('features', 8).map((row) => row.slice(2).join('='));
    expect(features).toContain('UV Protection=null');
    expect(features.filter((feature) => feature === 'Fabric=100% Cotton')).toHaveLength(2);
  });

  test('9: a broken URL', () => {
    const [style] = stylesOf(9);
    expect(rowsUnder('photos', +style[0])[0][2]).toMatch(/^uhttps:/);
  });

  test('10: quotes and text beyond ASCII', () => {
    const line = fs.readFileSync(path.join(clean, 'product.csv'), 'utf8').split('\n')[10];
    expect(line).toContain('"Größe ""Ω"" Café, 日本 🧵"');
  });

  test('11 and 12: prices with and without cents, sizes as text', () => {
    const prices = stylesOf(11).map((style) => style[4]);
    expect(prices).toEqual(['0', '49.5', '19.999', '500000000']);
    const [style] = stylesOf(12);
    expect(rowsUnder('skus', +style[0]).map((row) => row[2])).toEqual(['7', '7.5', 'XL', 'One Size']);
  });
});
