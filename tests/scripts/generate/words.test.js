'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { generate } = require('../../../scripts/generate/generate');
const { coined } = require('../../../scripts/generate/vocabulary.json');
const { createRandom, zipfRank } = require('../../../scripts/generate/random');

/** @type {string} */
let folder;
/** @type {string[]} texts of each product: name, slogan, description */
let texts;
/** @type {string[]} */
let names;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'generate-words-'));
  await generate({ out: folder, products: 10_000, seed: 1 });
  const lines = fs.readFileSync(path.join(folder, 'product.csv'), 'utf8').trimEnd().split('\n').slice(1);
  texts = lines.map((line) => line.replace(/^\d+,|,[^,]*,[^,]*$/g, ''));
  names = texts.map((text) => (/^"(([^"]|"")*)"/.exec(text)?.[1] ?? '').replaceAll('""', '"'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** @param {(name: string) => boolean} test */
const shareOfNames = (test) => names.filter(test).length / names.length;

describe('the words of a set', () => {
  test('can be 20,000 that no dictionary has', () => {
    const parts = (/** @type {string[]} */ lines) => lines.join(' ').split(' ');
    const joined = (/** @type {string[]} */ starts, /** @type {string[]} */ ends) =>
      starts.flatMap((start) => ends.map((end) => start + end));
    const wordsOf = (/** @type {string[][]} */ lists) => lists.map(parts).reduce(joined);
    expect(new Set(Object.values(coined).flatMap(wordsOf)).size).toBeGreaterThan(20_000);
  });

  test('are thousands, of which half occur only once or twice and few in most products', () => {
    /** @type {Map<string, number>} products by word */
    const products = new Map();
    for (const text of texts)
      for (const word of new Set(text.toLowerCase().match(/\p{L}+/gu)))
        products.set(word, (products.get(word) ?? 0) + 1);
    const counts = [...products.values()];
    expect(counts.length).toBeGreaterThan(6000);
    expect(counts.filter((count) => count <= 2).length / counts.length).toBeGreaterThan(0.5);
    expect(counts.filter((count) => count > texts.length / 10).length).toBeLessThan(150);
  });

  test('make names that many products share', () => {
    const counts = Object.values(Object.groupBy(names, (name) => name)).map((same) => same?.length ?? 0);
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(5);
    expect(counts.filter((count) => count > 1).length).toBeGreaterThan(500);
  });

  test('are plain in most names, and have accents, markup or Japanese in a few of a hundred', () => {
    expect(shareOfNames((name) => /^[A-Z][a-z]+( [A-Z][a-z]+)+$/.test(name))).toBeGreaterThan(0.9);
    expect(names).toContain('デニムジャケット');
    for (const odd of [/^[ぁ-ヿ一-鿿]+$/, /[éñØ]/, /<b>.*<\/b> & "Co"/]) {
      const share = shareOfNames((name) => odd.test(name));
      expect({ odd, isFew: share > 0.003 && share < 0.04 }).toEqual({ odd, isFew: true });
    }
  });
});

test('ranks follow the law of Zipf: each octave is as frequent as the others', () => {
  const random = createRandom(1);
  const octaves = [0, 0, 0, 0];
  for (let drawn = 0; drawn < 40_000; drawn += 1) octaves[Math.floor(Math.log2(zipfRank(random, 4)))] += 1;
  for (const count of octaves) expect(Math.abs(count / 10_000 - 1)).toBeLessThan(0.05);
});
