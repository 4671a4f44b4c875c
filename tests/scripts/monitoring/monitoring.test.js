'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { dashboardQueries, folder, metricsIn, printedTargets, rules, rulesFolder } = require('../../helpers/monitoring');
const { findPrometheus } = require('../../helpers/prometheus');
const { unless } = require('../../helpers/skip');

const alerts = rules().filter(({ kind }) => kind === 'alert');
const tests = fs.globSync('rules-tests/*', { cwd: folder });
const read = (/** @type {string} */ file) => fs.readFileSync(path.join(folder, file), 'utf8');

test('the targets are the workers of this machine as one entry, and its writer as another job', () => {
  const workers = { targets: ['127.0.0.1:9030', '127.0.0.1:9031'], labels: { node: 'localhost' } };
  const writer = { targets: ['127.0.0.1:7031'], labels: { node: 'localhost', job: 'catalog-writer' } };
  expect(printedTargets({ adminPorts: [9030, 9031] })).toEqual([workers]);
  expect(printedTargets({ adminPorts: [9030, 9031], writePorts: [7030, 7031] })).toEqual([workers, writer]);
});

test.each(alerts)('$name is named on its runbook page and fires in a rule test', ({ name, runbook }) => {
  expect(read(`../runbook/${runbook}.md`)).toContain(`\`${name}\``);
  const fires = new RegExp(`alertname: ${name}\\n\\s+exp_alerts:\\n\\s+- exp_labels`);
  expect(tests.some((file) => fires.test(read(file)))).toBe(true);
});

test('every recorded series that a rule or a panel queries exists', () => {
  const recorded = rules().flatMap(({ kind, name }) => (kind === 'record' ? [name] : []));
  const asked = [...rules(), ...dashboardQueries()].flatMap(({ expr }) => metricsIn(expr));
  expect(recorded.length).toBeGreaterThan(5);
  expect(asked.filter((name) => name.includes(':') && !recorded.includes(name))).toEqual([]);
});

const found = findPrometheus();
const able = unless(!found && 'no Prometheus here: apt-get install prometheus prometheus-blackbox-exporter');
/** @param {string[]} words */
const promtool = (...words) => execFileSync(found?.promtool ?? '', words, { cwd: folder, encoding: 'utf8' });

able.test('promtool accepts configuration and rules', () => {
  const files = fs.readdirSync(rulesFolder).map((file) => path.join('rules', file));
  expect(promtool('check', 'rules', ...files)).toMatch(/SUCCESS: \d+ rules found/);
  const said = promtool('check', 'config', 'prometheus.yml');
  expect(said).toContain('is valid prometheus config');
  expect(said).toContain(`${files.length} rule files found`);
});

able.test('every alert fires on its condition and only then', () => {
  expect(promtool('test', 'rules', ...tests).match(/SUCCESS/g)).toHaveLength(tests.length);
});
