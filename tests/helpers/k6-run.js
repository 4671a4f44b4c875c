'use strict';

/* An invented run of k6, for tests of reports. */

/** @param {Partial<import('../../scripts/k6/run').Figures>} [figures] */
const row = (figures = {}) => ({
  scenario: 'product-100',
  route: 'product',
  rate: 100,
  seconds: 30,
  budgetMs: 10,
  requests: 3000,
  rps: 100,
  p50Ms: 1,
  p95Ms: 3,
  p99Ms: 4,
  maxMs: 20,
  errors: 0,
  compared: 3000,
  outdated: 0,
  dropped: 0,
  missed: [],
  ...figures,
});

/** @param {Partial<import('../../scripts/k6/run').Measured>} [facts] @returns {import('../../scripts/k6/run').Measured} */
const part = (facts = {}) => ({
  rows: [row()],
  met: true,
  missed: [],
  catalog: { rows: 500 },
  failures: [],
  notes: [],
  cpu: { k6: 0.5, all: 1 },
  ...facts,
});

/** @param {Partial<import('../../scripts/k6/run').Run>} [facts] @returns {import('../../scripts/k6/run').Run} */
const run = (facts = {}) => ({
  test: 'ladder',
  question: 'Does it hold?',
  started: '2026-01-02T03:04:05.000Z',
  seconds: 30,
  url: 'http://127.0.0.1:1',
  machine: '2 cores',
  cores: 2,
  k6: 'v1.8.1',
  source: 'database',
  interrupted: false,
  parts: [part()],
  ...facts,
});

module.exports = { part, row, run };
