'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { tests } = require('../../scripts/k6/options');
const { root } = require('../../scripts/lib/runtime');
const { provideK6 } = require('../helpers/k6');
const { unless } = require('../helpers/skip');

const found = provideK6();

/** @param {string} test @param {NodeJS.ProcessEnv} [settings] @returns {any} its options */
function inspect(test, settings) {
  const words = ['inspect', '--include-system-env-vars', path.join(root, 'k6', `${test}.js`)];
  const text = execFileSync('k6' in found ? found.k6 : '', words, { env: { PATH: process.env.PATH, ...settings } });
  return JSON.parse(String(text));
}

/** @type {Record<string, number>} */
const unitSeconds = { h: 3600, m: 60, s: 1 };

/** @param {string} text as k6 or the README writes it: 1m0s, 30m */
const secondsOf = (text) =>
  [...text.matchAll(/(\d+)([hms])/g)].reduce((sum, [, n, unit]) => sum + Number(n) * unitSeconds[unit], 0);

unless('reason' in found && found.reason).describe('each script', () => {
  test('wants at least one request of each rate, and names the rates of a spike', () => {
    const least = inspect('ladder', { ROUTES: 'list', RATES: '1,10', DURATION: '1s' }).thresholds;
    const limits = [1, 10].map((rate) => least[`http_reqs{scenario:products-${rate}}`]);
    expect(limits).toEqual([['count>=1'], ['count>=9']]);
    const names = Object.keys(inspect('spike', { RATE: '20' }).thresholds).join();
    for (const name of ['before-20', 'spike-200', 'after-20'])
      expect(names).toContain(`dropped_iterations{scenario:${name}}`);
  });

  test('without options has the rates, durations and budgets that the README names', () => {
    const readme = fs.readFileSync(path.join(root, 'k6/README.md'), 'utf8');
    const defaultOf = (/** @type {string} */ option) =>
      String(new RegExp(`\`--${option} [^|]+\\| ([^|]+) \\|`).exec(readme)?.[1]).replaceAll('`', '');
    const byTest = (/** @type {string} */ option) =>
      Object.fromEntries(
        defaultOf(option)
          .split(', ')
          .map((one) => one.split(' ')),
      );
    const [rate, duration, usual] = [byTest('rate'), byTest('duration'), defaultOf('budget')];
    const [, smoke, burst] = /(\d+) for smoke and (\d+) for burst, fixed/.exec(readme) ?? [];
    const each = ['products', 'product', 'styles', 'related'];
    const more = [
      'batch',
      'included',
      'sku',
      'skus',
      'search',
      'suggest',
      'catalog',
      'export',
      'sitemap',
      'feed',
      'ucp',
      'mcp',
    ];
    /** @type {Record<string, [string[], string[], string, string[]]>} routes, rates, duration, budgets */
    const steps = {
      smoke: [[...each, ...more], [rate.smoke, `${Number(rate.smoke) / 5}`, '1'], duration.smoke, [smoke]],
      ladder: [each, defaultOf('rates').split(','), duration.ladder, [usual]],
      mix: [['mix'], [rate.mix], duration.mix, [usual]],
      spike: [['mix'], [rate.spike, `${rate.spike}0`], duration.spike, [usual, `${usual}0`]],
      soak: [['mix'], [rate.soak], duration.soak, [usual]],
      writes: [['mix', 'patch', 'stock'], [rate.writes, '10'], duration.writes, [usual, '100']],
    };
    for (const [test, [routes, rates, seconds, budgets]] of Object.entries(steps)) {
      const { scenarios, thresholds } = inspect(test);
      const { 'warm-up': warmUp, watch, ...asked } = scenarios; // of a soak
      expect([test, watch?.exec]).toEqual([test, test === 'soak' ? 'watch' : undefined]);
      const distinct = (/** @type {string} */ key) => new Set(Object.values(asked).map((step) => String(step[key])));
      const actual = { test, routes: distinct('exec'), rates: distinct('rate'), executors: distinct('executor') };
      const executors = new Set(['constant-arrival-rate']);
      expect(actual).toEqual({ test, routes: new Set(routes), rates: new Set(rates), executors });
      expect([...distinct('duration')].map(secondsOf)).toEqual([secondsOf(seconds)]);
      const limits = Object.entries(asked).map(([name, { rate }]) => {
        const own = thresholds[`http_req_duration{scenario:${name},expected_response:true}`];
        return rate * secondsOf(seconds) < 100 ? expect(own).toEqual([]) : own; // too few for a p99
      });
      expect(new Set(limits.flat().filter(Boolean))).toEqual(new Set(budgets.map((ms) => `p(99)<=${ms}`)));
      for (const name of Object.keys(asked)) expect(thresholds[`errors{scenario:${name}}`]).toEqual(['rate==0']);
    }
    const { scenarios, thresholds } = inspect('burst');
    expect(scenarios.http1).toMatchObject({ executor: 'per-vu-iterations', iterations: Number(defaultOf('rounds')) });
    expect(thresholds['http_req_duration{scenario:http1,expected_response:true}']).toEqual([`p(99)<=${burst}`]);
    const rising = inspect('breakpoint');
    const { startRate, stages, exec } = rising.scenarios['mix-rising'];
    expect([exec, String(startRate), stages[0].target]).toEqual(['mix', rate.breakpoint, 2 * startRate]);
    expect(new Set(stages.map((/** @type {any} */ stage) => secondsOf(stage.duration)))).toEqual(
      new Set([secondsOf(duration.breakpoint)]),
    );
    const limits = rising.thresholds['http_req_duration{scenario:mix-rising,expected_response:true}'];
    expect(limits).toEqual([expect.objectContaining({ threshold: `p(99)<=${usual}`, abortOnFail: true })]);
    expect(Object.keys(tests).sort()).toEqual([...Object.keys(steps), 'burst', 'breakpoint'].sort());
  });
});
