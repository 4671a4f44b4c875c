'use strict';

const { forgive } = require('../../scripts/k6/forgive');
const { markdown } = require('../../scripts/k6/markdown');
const { reasonsOf } = require('../../scripts/k6/model');
const { compare } = require('../../scripts/k6/compare');
const { row, run } = require('../helpers/k6-run');

const missed = ['errors rate==0', 'http_req_duration p(99)<=10'];
const wrong = row({ errors: 40, rps: 98.7, missed });

describe('replies that differ from the database', () => {
  const differing = [10, 20, 21].map((second) => ({ second, scenario: 'product-100', route: 'product', count: 10 }));

  test('are wrong while no load is served', () => {
    expect(forgive([wrong], differing, Infinity)).toEqual([wrong]);
  });

  test('are outdated from the second on in which one is served, and what else was wrong stays wrong', () => {
    const [forgiven] = forgive([{ ...wrong, compared: 3000 }], differing, 20.9);
    expect(forgiven).toMatchObject({ errors: 20, outdated: 20, compared: 2980, missed });
    expect(forgiven.rps).toBeCloseTo(98.7 + 20 / 30);
    const [right] = forgive([{ ...wrong, errors: 30 }], differing, 5);
    expect(right).toMatchObject({ errors: 0, outdated: 30, missed: ['http_req_duration p(99)<=10'] });
  });

  test('count for their own route of a mix and for the whole, and for no other', () => {
    const mix = ['mix', 'product', 'styles'].map((route) => row({ scenario: 'mix-100', route, errors: 10 }));
    const own = [{ ...differing[0], scenario: 'mix-100' }];
    expect(forgive(mix, [...own, ...differing], 0).map(({ errors }) => errors)).toEqual([0, 0, 10]);
  });
});

describe('errors of a sample', () => {
  test.each([
    [{ errors: 12, requests: 2000, compared: 300 }, 'at least 12 of 2,000 replies', '≥ 12'],
    [{ errors: 12, requests: 2000, compared: 2000 }, 'product-100: 12 of 2,000 replies', '| 12 |'],
    [{ errors: 2000, requests: 2000, compared: 300 }, 'product-100: 2,000 of 2,000 replies', '| 2,000 |'],
  ])('%j are told as the least where others were not compared', (figures, text, cell) => {
    const sampled = row({ ...figures, missed: ['errors rate==0'] });
    expect(reasonsOf([sampled])[0]).toContain(text);
    expect(markdown(run({ rows: [sampled] }))).toContain(cell);
  });

  test('and the report says what was compared with what, once for a mix', () => {
    const whole = row({ scenario: 'mix-1', route: 'mix', rate: 1, requests: 500, compared: 200 });
    const part = row({ ...whole, rate: undefined, route: 'list', requests: 100, compared: 90 });
    const told = (/** @type {Partial<import('../../scripts/k6/model').Run>} */ facts) =>
      markdown(run({ rows: [whole, part], ...facts }));
    expect(told({ content: { source: 'database' } })).toContain(
      '- checked: 200 of 500 bodies byte by byte against the database, the others for their id and the outline of',
    );
    expect(told({ content: { source: 'routes' } })).toContain('- checked: 200 of 500 bodies against another route');
    const content = { source: /** @type {const} */ ('database'), changedAt: '2026-01-02T03:04:20.500Z' };
    const changed = told({ content, rows: [{ ...whole, compared: 493, outdated: 7 }] });
    expect(changed).toContain('- other data was served from 03:04:20 UTC on: 7 bodies that differ since then');
    const bursts = ['http1', 'http2'].map((scenario) =>
      row({ scenario, rate: undefined, requests: 500, compared: 500 }),
    );
    expect(told({ content: { source: 'database' }, rows: bursts })).toContain('1,000 of 1,000 bodies byte by byte');
  });

  test('are not judged against those of a run whose bodies were compared otherwise', () => {
    const [a, b] = [{ source: /** @type {const} */ ('routes') }, { source: /** @type {const} */ ('database') }];
    expect(compare(run({ content: a }), run({ content: b }))).toContain('No verdict where they differ: bodies.');
  });
});
