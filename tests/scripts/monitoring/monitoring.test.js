'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { targetsOf, targetsOfStack } = require('../../../scripts/monitoring/targets');
const { parseInventory } = require('../../../scripts/fleet/inventory');
const { dashboardQueries, folder, metricsIn, rules } = require('../../helpers/monitoring');

const alerts = rules().filter(({ kind }) => kind === 'alert');
const runbook = path.join(folder, '../runbook');

describe('targets', () => {
  test('lists each worker of the inventory once, with the name of its node', () => {
    const inventory = {
      nodes: [
        { name: 'db-1', role: 'db', address: '10.0.0.21' },
        { name: 'lb-1', role: 'lb', address: '10.0.0.11' },
        { name: 'app-1', role: 'app', address: '10.0.0.31', workers: 2, adminPort: 9030 },
        { name: 'app-2', role: 'app', address: '10.0.0.32', workers: 1, state: 'drain' },
      ],
    };
    expect(targetsOf(parseInventory(JSON.stringify(inventory), 'x'))).toEqual([
      { targets: ['10.0.0.31:9030', '10.0.0.31:9031'], labels: { node: 'app-1' } },
      { targets: ['10.0.0.32:9030'], labels: { node: 'app-2' } },
    ]);
  });

  test('lists the workers of this machine as one entry, and its writer as another job', () => {
    expect(targetsOfStack({ adminPorts: [9030, 9031] })).toEqual([
      { targets: ['127.0.0.1:9030', '127.0.0.1:9031'], labels: { node: 'localhost' } },
    ]);
    expect(targetsOfStack({ adminPorts: [9030], writePorts: [7030, 7031] })).toEqual([
      { targets: ['127.0.0.1:9030'], labels: { node: 'localhost' } },
      { targets: ['127.0.0.1:7031'], labels: { node: 'localhost', job: 'catalog-writer' } },
    ]);
  });

  test.each(['/proc/no/such', '/dev/null/deeper'])('--output %s is refused with its reason', (file) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'targets-'));
    const nodes = [{ name: 'app-1', role: 'app', address: '10.0.0.31' }];
    fs.writeFileSync(path.join(dir, 'fleet.json'), JSON.stringify({ nodes }));
    const words = [path.join(folder, '../monitor.js'), 'targets', '--inventory', `${dir}/fleet.json`, '--output', file];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 10_000 });
    const line = new RegExp(`^cannot write to ${file} \\([^)]+\\): choose another FILE with --output\n$`);
    expect([status, stderr]).toEqual([2, expect.stringMatching(line)]);
    fs.rmSync(dir, { recursive: true });
  });

  test('--output replaces the list in one step, so a reader never sees a partial one', () => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'targets-'));
    const file = path.join(dir, 'targets/workers.json');
    const write = (/** @type {object[]} */ ...nodes) => {
      fs.writeFileSync(path.join(dir, 'fleet.json'), JSON.stringify({ nodes }));
      const words = ['targets', '--inventory', 'fleet.json', '--output', 'targets/workers.json'];
      const monitor = path.join(folder, '../monitor.js');
      const { status, stdout, stderr } = spawnSync(process.execPath, [monitor, ...words], {
        encoding: 'utf8',
        env: { ...process.env, INIT_CWD: dir },
      });
      expect([status, stdout, stderr]).toEqual([0, '', '']);
    };
    write({ name: 'app-1', role: 'app', address: '10.0.0.31' });
    const reader = fs.openSync(file, 'r');
    write({ name: 'app-2', role: 'app', address: '10.0.0.32', workers: 1 });
    const seen = JSON.parse(fs.readFileSync(reader, 'utf8'));
    expect(seen[0].targets).toEqual(['10.0.0.31:9030', '10.0.0.31:9031']);
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual([
      { targets: ['10.0.0.32:9030'], labels: { node: 'app-2' } },
    ]);
    expect(fs.readdirSync(path.dirname(file))).toEqual(['workers.json']);
    fs.closeSync(reader);
    fs.rmSync(dir, { recursive: true });
  });
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
