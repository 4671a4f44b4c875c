'use strict';

const { forgive } = require('../../../scripts/k6/content');
const { markdown } = require('../../../scripts/k6/report');
const { reasonsOf } = require('../../../scripts/k6/verdict');
const { row, run } = require('../../helpers/k6-run');

const missed = ['errors rate==0', 'http_req_duration p(99)<=10'];
const wrong = row({ errors: 40, rps: 98.7, missed });

describe('bodies that differ from the database', () => {
  const differing = [10, 20, 21].map((second) => ({ second, scenario: 'product-100', route: 'product', count: 10 }));

  test('are wrong while no load is served', () => {
    expect(forgive([wrong], differing, Infinity)).toEqual([wrong]);
  });

  test('are outdated from the second in which a load is served, and other errors remain', () => {
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
    [{ errors: 12, requests: 2000, compared: 300 }, 'at least 12 of 2,000 replies', / ≥ 12 \|/],
    [{ errors: 12, requests: 2000, compared: 2000 }, 'product-100: 12 of 2,000 replies', /\| +12 \|/],
    [{ errors: 2000, requests: 2000, compared: 300 }, 'product-100: 2,000 of 2,000 replies', /\| +2,000 \|/],
  ])('%j are a minimum if not all bodies were compared', (figures, text, cell) => {
    const sampled = row({ ...figures, missed: ['errors rate==0'] });
    expect(reasonsOf([sampled])[0]).toContain(text);
    expect(markdown(run({ rows: [sampled] }))).toMatch(cell);
  });

  test('the report says how many bodies were compared with what, once for a mix', () => {
    const whole = row({ scenario: 'mix-1', route: 'mix', rate: 1, requests: 500, compared: 200 });
    const part = row({ ...whole, rate: undefined, route: 'products', requests: 100, compared: 90 });
    const report = (/** @type {Partial<import('../../../scripts/k6/verdict').Run>} */ facts) =>
      markdown(run({ rows: [whole, part], ...facts }));
    expect(report({ content: { source: 'database' } })).toContain(
      '- checked: 200 of 500 bodies byte by byte against the database, the others only by id and shape\n',
    );
    expect(report({ content: { source: 'routes' } })).toContain('- checked: 200 of 500 bodies against another route');
    const content = { source: /** @type {const} */ ('database'), changedAt: '2026-01-02T03:04:20.500Z' };
    const changed = report({ content, rows: [{ ...whole, compared: 493, outdated: 7 }] });
    expect(changed).toContain(
      '- the data changed at 03:04:20 UTC: 7 bodies that differ since then do not count as wrong',
    );
    const bursts = ['http1', 'http2'].map((scenario) =>
      row({ scenario, rate: undefined, requests: 500, compared: 500, load: { cpu: {} } }),
    );
    expect(report({ content: { source: 'database' }, rows: bursts })).toContain('1,000 of 1,000 bodies byte by byte');
  });
});
