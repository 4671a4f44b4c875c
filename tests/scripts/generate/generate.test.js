'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { generate } = require('../../../scripts/generate/generate');
const { createRandom, zipfRank } = require('../../../scripts/generate/random');
const { tables } = require('../../../scripts/generate/tables');

/* The loader counts what each manifest counts in tests/etl/test_accounting.py; the edges of the contract are in the recorded replies. */

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'generate-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** @param {{ products: number, seed?: number, dirty?: boolean }} options @returns {Promise<{ out: string, manifest: Awaited<ReturnType<typeof generate>> }>} */
async function make({ seed = 1, ...options }) {
  const out = fs.mkdtempSync(path.join(folder, 'set-'));
  return { out, manifest: await generate({ out, seed, ...options }) };
}

test.each([
  [{ products: 400, seed: 9, dirty: true }, 'db926dd591089996'],
  [{ products: 500, seed: 1 }, 'e343365d2075791c'],
  [{ products: 500, seed: 2 }, '3e64a0d08846f12f'],
])('%j give the same bytes on every machine', async (options, digest) => {
  const { out } = await make(options);
  const hash = crypto.createHash('sha256');
  for (const name of fs.readdirSync(out).sort()) hash.update(fs.readFileSync(path.join(out, name)));
  // A change of the generator changes it: copy the new one here, and add a line to the changelog.
  expect(hash.digest('hex').slice(0, 16)).toBe(digest);
});

test('a set of one product has all files', async () => {
  const { out } = await make({ products: 1 });
  expect(fs.readFileSync(path.join(out, 'related.csv'), 'utf8')).toBe('id,current_product_id,related_product_id\n');
});

test('a dirty set has every reason in every file that can have it', async () => {
  const { files } = (await make({ products: 400, seed: 4, dirty: true })).manifest;
  const everywhere = 'missing_fields surplus_fields bad_id nul_byte invalid_utf8 duplicate null_value';
  const more = {
    'product.csv': 'bad_price bad_quotes',
    'styles.csv': 'bad_price bad_boolean bad_quotes orphan',
    'photos.csv': 'bad_quotes orphan',
    'skus.csv': 'bad_quantity bad_quotes orphan',
    'features.csv': 'bad_quotes orphan',
    'related.csv': 'orphan',
  };
  for (const [name, reasons] of Object.entries(more)) {
    expect(Object.keys(files[name].rejected).sort()).toEqual(`${everywhere} ${reasons}`.split(' ').sort());
    expect(files[name].repaired).toBeGreaterThan(0);
  }
});

test('a dirty set of 10,000 products loses less than 1 % of each file', async () => {
  const { files } = (await make({ products: 10_000, dirty: true })).manifest;
  const lost = Object.values(files).map(({ loaded, repaired, rows }) => 1 - (loaded + repaired) / rows);
  expect(Math.max(...lost)).toBeLessThan(0.01);
});

describe('a set is like the real data', () => {
  /** @type {Awaited<ReturnType<typeof make>>} */
  let set;
  /** @type {string[]} name, slogan and description of each product, as they are written */
  let texts;
  /** @type {string[]} */
  let names;

  beforeAll(async () => {
    set = await make({ products: 10_000 });
    const lines = fs.readFileSync(path.join(set.out, 'product.csv'), 'utf8').trimEnd().split('\n').slice(1);
    texts = lines.map((line) => line.replace(/^\d+,|,[^,]*,[^,]*$/g, ''));
    names = texts.map((text) => (/^"(([^"]|"")*)"/.exec(text)?.[1] ?? '').replaceAll('""', '"'));
  });

  test.each([
    ['styles.csv', 'product.csv', 1.96],
    ['features.csv', 'product.csv', 2.22],
    ['related.csv', 'product.csv', 4.51],
    ['photos.csv', 'styles.csv', 2.89],
    ['skus.csv', 'styles.csv', 5.78],
  ])('in the rows of %s for each row of %s', (file, parent, ratio) => {
    const { files } = set.manifest;
    expect(Math.abs(files[file].rows / files[parent].rows / ratio - 1)).toBeLessThan(0.04);
  });

  test('in its 2.3 KB for each product', () => {
    const bytes = Object.values(set.manifest.files).reduce((sum, file) => sum + file.bytes, 0);
    expect(Math.abs(bytes / 10_000 / 2300 - 1)).toBeLessThan(0.08);
  });

  test.each(Object.values(tables).map(({ file }) => file))('in the gaps in the ids of %s', (file) => {
    const ids = fs.readFileSync(path.join(set.out, file), 'latin1').match(/^\d+/gm)?.map(Number) ?? [];
    expect(ids.length).toBe(set.manifest.files[file].rows);
    expect(Math.max(...ids.slice(-3))).toBeGreaterThan(ids.length);
    if (file === 'product.csv') expect(ids.at(-1)).toBe(set.manifest.largestProductId);
  });

  test('in its thousands of words, of which half occur once or twice and few in most products', () => {
    const words = texts.flatMap((text) => [...new Set(text.toLowerCase().match(/\p{L}+/gu))]);
    const counts = Object.values(Object.groupBy(words, (word) => word)).map((same) => same?.length ?? 0);
    expect(counts.length).toBeGreaterThan(6000);
    expect(counts.filter((count) => count <= 2).length / counts.length).toBeGreaterThan(0.5);
    expect(counts.filter((count) => count > texts.length / 10).length).toBeLessThan(150);
  });

  test('in its names: many are shared, most are plain, a few have accents, markup or Japanese', () => {
    const counts = Object.values(Object.groupBy(names, (name) => name)).map((same) => same?.length ?? 0);
    expect(counts.filter((count) => count > 1).length).toBeGreaterThan(500);
    const share = (/** @type {RegExp} */ pattern) => names.filter((name) => pattern.test(name)).length / names.length;
    expect(share(/^[A-Z][a-z]+( [A-Z][a-z]+)+$/)).toBeGreaterThan(0.9);
    for (const odd of [/^[ぁ-ヿ一-鿿]+$/, /[éñØ]/, /<b>.*<\/b> & "Co"/])
      expect({ odd, isFew: share(odd) > 0.003 && share(odd) < 0.04 }).toEqual({ odd, isFew: true });
  });
});

test('ranks follow the law of Zipf: each octave is as frequent as the others', () => {
  const random = createRandom(1);
  const octaves = [0, 0, 0, 0];
  for (let drawn = 0; drawn < 40_000; drawn += 1) octaves[Math.floor(Math.log2(zipfRank(random, 4)))] += 1;
  for (const count of octaves) expect(Math.abs(count / 10_000 - 1)).toBeLessThan(0.05);
});
