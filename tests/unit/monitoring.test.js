'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { flameGraph } = require('../../scripts/monitoring/flame-graph');
const { busyShare, foldProfile } = require('../../scripts/monitoring/fold');
const { targetsOf, targetsOfStack } = require('../../scripts/monitoring/targets');
const { parseInventory } = require('../../scripts/lib/inventory');
const { dashboardQueries, folder, metricsIn, rules } = require('../helpers/monitoring');

const alerts = rules().filter(({ kind }) => kind === 'alert');
const runbook = path.join(folder, '../runbook');

describe('targets', () => {
  test('each worker of the inventory is scraped once, under the name of its node', () => {
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

  test('the stack of this machine has one entry', () => {
    expect(targetsOfStack({ adminPorts: [9030, 9031] })).toEqual([
      { targets: ['127.0.0.1:9030', '127.0.0.1:9031'], labels: { node: 'localhost' } },
    ]);
  });

  test('--output puts a new list in the place of the old one, of which a reader keeps the whole', () => {
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

  test.each(alerts)('$name is a sign on its page of the runbook, and fires in a test', (alert) => {
    expect(alert.runbook).not.toBe('');
    expect(fs.readFileSync(path.join(runbook, `${alert.runbook}.md`), 'utf8')).toContain(`\`${alert.name}\``);
    const fires = new RegExp(`alertname: ${alert.name}\\n\\s+exp_alerts:\\n\\s+- exp_labels`);
    expect(tested.some((text) => fires.test(text))).toBe(true);
  });

  test('a recorded figure that a rule or a panel asks for is recorded', () => {
    const recorded = rules().flatMap(({ kind, name }) => (kind === 'record' ? [name] : []));
    const asked = [...rules(), ...dashboardQueries()].flatMap(({ expr }) => metricsIn(expr));
    expect(recorded.length).toBeGreaterThan(5);
    expect(asked.filter((name) => name.includes(':') && !recorded.includes(name))).toEqual([]);
  });
});

describe('flame graph', () => {
  const frame = (/** @type {string} */ functionName, url = '') => ({
    functionName,
    url,
    lineNumber: 9,
  });
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 3] },
      { id: 2, callFrame: frame('(idle)') },
      { id: 3, callFrame: frame('work', 'node:net'), children: [4] },
      { id: 4, callFrame: frame('', 'node:zlib') },
    ],
    samples: [2, 3, 4, 4],
    timeDeltas: [500, 6000, 1000, 2000],
  };

  test('each sample counts for the time until the next, in its function and in all that called it', () => {
    const tree = foldProfile(profile);
    expect(tree).toMatchObject({ name: '(root)', value: 9 });
    expect(tree.children).toMatchObject([
      { name: '(idle)', value: 6 },
      {
        name: 'work node:net:10',
        value: 3,
        children: [{ name: '(anonymous) node:zlib:10', value: 2 }],
      },
    ]);
    expect(busyShare(tree)).toBeCloseTo(1 / 3);
  });

  test('the page needs nothing from elsewhere, and no name of a function ends its script', () => {
    const evil = { name: '</script><script>alert(1)', value: 1, children: [] };
    const html = flameGraph({ name: '(root)', value: 1, children: [evil] }, 'title');
    expect(html).not.toMatch(/<(script|link|img)[^>]+(src|href)=/);
    expect(html).not.toContain('</script><script>alert');
  });
});
