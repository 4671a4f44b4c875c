'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { datasets } = require('../../lab/bench/dataset');
const { hasWrk } = require('../../lab/bench/measure');
const { stopAll } = require('../../lab/bench/running');
const { search } = require('../../lab/bench/search');
const { unless } = require('../../helpers/skip');

const products = 3000;
const suite = unless(!hasWrk() && 'wrk is not installed');

suite.describe('the part search of bench, on a small catalog', () => {
  /** @type {import('../../lab/bench/report').Part} */
  let part;
  beforeAll(async () => {
    part = await search({ products, rounds: 1, seconds: 3, say: () => {} });
  }, 300_000);
  afterAll(async () => {
    await stopAll();
    fs.rmSync(path.join(datasets, String(products)), { recursive: true, force: true });
  });

  test('measures every target', () => {
    expect(part.targets.filter(({ is }) => !Number.isFinite(is))).toEqual([]);
    expect(new Set(part.targets.map(({ what }) => what.split(' ')[0]))).toEqual(
      new Set(['S1', 'S3', 'S5', 'S6', 'S7', 'S8', 'S11']),
    );
  });
});
