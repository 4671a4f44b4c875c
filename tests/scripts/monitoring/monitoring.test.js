'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { describeState } = require('../../../scripts/local/state');
const { targetsOfStack } = require('../../../scripts/monitoring/targets');
const { dashboardQueries, folder, metricsIn, rules } = require('../../helpers/monitoring');

const alerts = rules().filter(({ kind }) => kind === 'alert');
const runbook = path.join(folder, '../runbook');

describe('targets', () => {
  test('lists the workers of this machine as one entry, and its writer as another job', () => {
    expect(targetsOfStack({ adminPorts: [9030, 9031] })).toEqual([
      { targets: ['127.0.0.1:9030', '127.0.0.1:9031'], labels: { node: 'localhost' } },
    ]);
    expect(targetsOfStack({ adminPorts: [9030], writePorts: [7030, 7031] })).toEqual([
      { targets: ['127.0.0.1:9030'], labels: { node: 'localhost' } },
      { targets: ['127.0.0.1:7031'], labels: { node: 'localhost', job: 'catalog-writer' } },
    ]);
  });

  describe('--output', () => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'targets-'));
    afterAll(() => fs.rmSync(dir, { recursive: true }));
    /** @param {string} file @param {number[]} adminPorts of a stack that runs */
    function write(file, ...adminPorts) {
      fs.writeFileSync(describeState(dir).stack, JSON.stringify({ pid: process.pid, adminPorts }));
      const words = [path.join(folder, '../monitor.js'), 'targets', '--state', dir, '--output', file];
      const env = { ...process.env, INIT_CWD: dir };
      const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 10_000, env });
      return [status, stdout, stderr];
    }

    test.each(['/proc/no/such', '/dev/null/deeper'])('%s is refused with its reason', (file) => {
      const line = new RegExp(`^cannot write to ${file} \\([^)]+\\): choose another FILE with --output\n$`);
      expect(write(file, 9030)).toEqual([2, '', expect.stringMatching(line)]);
    });

    test('replaces the list in one step, so a reader never sees a partial one', () => {
      const file = path.join(dir, 'targets/workers.json');
      const of = (/** @type {number[]} */ ...ports) => [
        { targets: ports.map((port) => `127.0.0.1:${port}`), labels: { node: 'localhost' } },
      ];
      expect(write('targets/workers.json', 9030, 9031)).toEqual([0, '', '']);
      const reader = fs.openSync(file, 'r');
      expect(write('targets/workers.json', 9040)).toEqual([0, '', '']);
      expect(JSON.parse(fs.readFileSync(reader, 'utf8'))).toEqual(of(9030, 9031));
      expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(of(9040));
      expect(fs.readdirSync(path.dirname(file))).toEqual(['workers.json']);
      fs.closeSync(reader);
    });
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
