'use strict';

/* An invented run of k6, for tests of reports. */

/** @param {Partial<import('../../scripts/k6/verdict').Figures>} [figures] */
const row = (figures = {}) => ({
  scenario: 'product-100',
  route: 'product',
  rate: 100,
  seconds: 30,
  budgetMs: 10,
  requests: 3000,
  rps: 100,
  p50Ms: 1,
  p90Ms: 2,
  p95Ms: 3,
  p99Ms: 4,
  maxMs: 20,
  errors: 0,
  dropped: 0,
  missed: [],
  ...figures,
});

/** @param {Partial<import('../../scripts/k6/verdict').Run>} [facts] @returns {import('../../scripts/k6/verdict').Run} */
const run = (facts = {}) => ({
  test: 'ladder',
  question: 'Does it hold?',
  started: '2026-01-02T03:04:05.000Z',
  seconds: 30,
  url: 'http://127.0.0.1:1',
  machine: '2 cores',
  k6: 'v1.8.1',
  cores: 2,
  statuses: {},
  catalog: { rows: 500, known: 500 },
  rows: [row()],
  ok: true,
  reasons: [],
  ...facts,
});

const second = (/** @type {number} */ t, scenario = 'product-100') => ({
  t,
  scenario,
  rps: 100,
  p99Ms: 3,
  errors: 0,
  dropped: 0,
});

module.exports = { row, run, second };
