'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { runTool } = require('../../scripts/lib/run');
const { root } = require('../../scripts/lib/runtime');
const { provideK6, takeRun } = require('../helpers/k6');
const { startStack } = require('../helpers/stack');
const { unless } = require('../helpers/skip');

/** A developer's shell may export these for other programs. Nothing listens on port 1. */
const hostile = {
  PGSSLMODE: 'require',
  PGHOST: '127.0.0.1',
  PGPORT: '1',
  PGUSER: 'me',
  PGDATABASE: 'mine',
  PGOPTIONS: '-c no.such=1',
  PGTZ: 'Asia/Tokyo',
  PGDATESTYLE: 'SQL, DMY',
  PGSERVICE: 'mine',
  PGCONNECT_TIMEOUT: '1',
  PYTHONSAFEPATH: '1',
  PYTHONOPTIMIZE: '2',
  PYTHONHOME: '/missing',
  PYTHONPATH: '/missing',
  PIP_TARGET: '/missing',
  NODE_USE_ENV_PROXY: '1',
  HTTP_PROXY: 'http://127.0.0.1:1',
  http_proxy: 'http://127.0.0.1:1',
  ALL_PROXY: 'http://127.0.0.1:1',
  LD_PRELOAD: '/missing.so',
  LD_LIBRARY_PATH: '/missing',
  PM2_HOME: '/missing',
  NGINX: '5;6',
  HOST: '192.0.2.1',
  PORT: '1',
};
/** Each would end the run early, reduce its requests, or disable its checks. */
const k6Options = {
  K6_DURATION: '3s',
  K6_VUS: '1',
  K6_ITERATIONS: '1',
  K6_STAGES: '1s:1',
  K6_NO_THRESHOLDS: 'true',
  K6_OUT: 'json=/missing/x',
  K6_BLOCK_HOSTNAMES: '127.0.0.1',
  K6_HTTP_DEBUG: 'full',
  RATE: '1',
  DURATION: '1s',
  P99_MS: '1',
  BASE_URL: 'http://192.0.2.1',
};

const found = provideK6();
const { test: withK6 } = unless('reason' in found && found.reason);

/** Runs a command as npm does. @param {string[]} words @param {NodeJS.ProcessEnv} [env] */
const command = (words, env) =>
  runTool([process.execPath, path.join(root, 'scripts/bootstrap.js'), ...words], {
    env: { ...process.env, INIT_CWD: root, ...hostile, ...env },
    keepOutput: true,
  });

test("Ansible reads the operator's variables in lookups, and works among those of other programs", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'inventory-'));
  const inventory = path.join(folder, 'hosts.yml');
  const names = 'secret_names: [\'{{ lookup("env", "VAULT_ADDR") }}\', \'{{ lookup("env", "PGHOST") }}none\']';
  fs.writeFileSync(inventory, `all: { vars: { ansible_connection: local, ${names} }, hosts: { node: {} } }\n`);
  const { status, output } = await command(['fleet', 'secrets', '--inventory', inventory], {
    VAULT_ADDR: 'from_vault',
  });
  expect([status, output]).toEqual([0, expect.any(String)]);
  const written = fs.readFileSync(path.join(folder, 'group_vars/all/secrets.yml'), 'utf8');
  expect(written.match(/^\w+/gm)).toEqual(['from_vault', 'none']);
  fs.rmSync(folder, { recursive: true });
}, 120_000);

describe('a shell full of variables for other programs', () => {
  /** @type {import('../helpers/stack').Stack} */
  let stack;
  beforeAll(async () => {
    stack = await startStack({ env: hostile, script: ['bootstrap.js', 'start'] });
  }, 120_000);
  afterAll(() => stack?.stop());

  test('does not keep a stack from starting', async () => {
    expect((await fetch(`${stack.url}/products/1`)).status).toBe(200);
  });

  test('does not change load and status', async () => {
    const data = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-data-'));
    await command(['generate', data, '--products', '40']);
    const load = await command(['load', data, '--state', stack.state]);
    expect([load.status, load.output]).toEqual([0, expect.any(String)]);
    fs.rmSync(data, { recursive: true });
    const { status, output } = await command(['status', '--state', stack.state]);
    expect([status, output]).toEqual([0, expect.stringMatching(/^public +ok/m)]);
  }, 120_000);

  withK6(
    'does not change a k6 run',
    async () => {
      const words = ['k6', 'mix', '--rate', '20', '--duration', '3s', '--budget', '5000', '--state', stack.state];
      const env = { ...k6Options, K6_BIN: 'k6' in found ? found.k6 : '' };
      const { status, output } = await command(words, env);
      const [, relative] = /^(\S+)\/summary\.md$/m.exec(output) ?? [];
      expect([status, output]).toEqual([0, expect.stringContaining('summary.md')]);
      const { rows, url } = takeRun(path.join(root, relative));
      expect(url).toBe(stack.url);
      for (const row of rows) expect(row).toMatchObject({ scenario: 'mix-20', errors: 0, budgetMs: 5000 });
      expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThanOrEqual(57); // 20 a second for 3 s
    },
    120_000,
  );
});
