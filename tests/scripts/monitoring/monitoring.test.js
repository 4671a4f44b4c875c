'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { dashboardQueries, folder, metricsIn, printedTargets, rules } = require('../../helpers/monitoring');

const alerts = rules().filter(({ kind }) => kind === 'alert');
const runbook = path.join(folder, '../runbook');

test('the targets are the workers of this machine as one entry, and its writer as another job', () => {
  expect(printedTargets({ adminPorts: [9030, 9031] })).toEqual([
    { targets: ['127.0.0.1:9030', '127.0.0.1:9031'], labels: { node: 'localhost' } },
  ]);
  expect(printedTargets({ adminPorts: [9030], writePorts: [7030, 7031] })).toEqual([
    { targets: ['127.0.0.1:9030'], labels: { node: 'localhost' } },
    { targets: ['127.0.0.1:7031'], labels: { node: 'localhost', job: 'catalog-writer' } },
  ]);
});

describe('rules', () => {
  const tests = path.join(folder, 'rules-tests');
  const tested = fs.readdirSync(tests).map((file) => fs.readFileSync(path.join(tests, file), 'utf8'));

  test.each(alerts)('$name is named on its runbook page and fires in a rule test', (alert) => {
    expect(alert.runbook).not.toBe('');
    expect(fs.readFileSync(path.join(runbook, `${alert.runbook}.md`), 'utf8')).toContain(`\`${alert.name}\``);
    const fires = new RegExp(`alertname: ${alert.name}\\n\\s+exp_alerts:\\n\\s+- exp_labels`);
    expect(tested.some((text) => fires.test(text))).toBe(true);
  });

  test('every recorded series that a rule or a panel queries exists', () => {
    const recorded = rules().flatMap(({ kind, name }) => (kind === 'record' ? [name] : []));
    const asked = [...rules(), ...dashboardQueries()].flatMap(({ expr }) => metricsIn(expr));
    expect(recorded.length).toBeGreaterThan(5);
    expect(asked.filter((name) => name.includes(':') && !recorded.includes(name))).toEqual([]);
  });
});
