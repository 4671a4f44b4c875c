'use strict';
const path = require('node:path');
const { pm2Environment } = require('../../../scripts/local/pm2');
const { describeState } = require('../../../scripts/local/state');
const { loadConfig } = require('../../../server/config/config');
const { SETTINGS } = require('../../../server/config/settings');
const { read } = require('../../docs/sources');

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

/** @param {Record<string, string>} environment */
function appsWith(environment) {
  Object.assign(process.env, environment);
  /** @type {typeof import('../../../ecosystem.config').apps} */
  let apps = [];
  jest.isolateModules(() => (apps = require('../../../ecosystem.config').apps));
  expect(apps.length).toBeGreaterThan(0);
  return apps;
}

test("PM2 finds a worker's script below its folder, also with a space in the path", () => {
  for (const { script, cwd } of appsWith({})) {
    expect(script).toMatch(/^[^/ ][^ ]*$/);
    expect(require.resolve(path.join(cwd, script))).toBe(require.resolve('../../../server/index.js'));
  }
});

test('PM2 runs the writer where it has a database, and keeps that from the workers', () => {
  const workers = appsWith({}).map(({ name }) => name);
  const apps = appsWith({ WRITE_DATABASE_URL: 'postgres://catalog_writer@/catalog' });
  expect(apps.map(({ name }) => name)).toEqual([...workers, 'writer']);
  expect(apps.at(-1)?.script).toBe('server/writer/index.js');
  for (const { filter_env: filtered } of apps.slice(0, -1)) expect(filtered).toEqual(['WRITE_']);
});

test('npm start sets where workers listen and what they run, whatever the shell exports', () => {
  const exported = { HOST: 'somewhere', ADMIN_HOST: '0.0.0.0', CATALOG_HOME: '/nowhere', LOG_LEVEL: 'debug' };
  Object.assign(process.env, exported);
  const given = pm2Environment(describeState('/srv/state'), { CATALOG_WORKERS: '2' });
  expect(Object.keys(exported).filter((name) => name in given)).toEqual(['LOG_LEVEL']);
  expect(given.CATALOG_WORKERS).toBe('2');
});

const longest = { DRAIN_DEADLINE_MS: '25000', READY_WAIT_MS: '8000' };

test.each([
  ['by default', {}],
  ['as it is set', longest],
])('PM2 waits longer than a worker, %s', (_, environment) => {
  const apps = appsWith(environment);
  const ofWorker = (/** @type {keyof typeof longest} */ name) =>
    Number(process.env[name] ?? /** @type {any} */ (SETTINGS[name]).default);
  for (const { kill_timeout: killMs, listen_timeout: listenMs } of apps) {
    expect(killMs - ofWorker('DRAIN_DEADLINE_MS')).toBe(3000);
    expect(listenMs - ofWorker('READY_WAIT_MS')).toBe(12_000);
  }
});

test('the unit of PM2 waits longer than PM2, however long a worker may take', () => {
  const unit = read('scripts/fleet/roles/app/templates/catalog-workers.service.j2');
  const ms = (/** @type {RegExp} */ pattern) => 1000 * Number(pattern.exec(unit)?.[1]);
  for (const { kill_timeout: killMs, listen_timeout: listenMs } of appsWith(longest)) {
    expect(killMs).toBeLessThan(ms(/^TimeoutStopSec=(\d+)$/m));
    expect(listenMs).toBeLessThanOrEqual(ms(/^TimeoutStartSec=\{\{ 60 \+ (\d+) \* app_programs/m));
  }
  const base = { DATABASE_URL: 'postgres://x@/x' };
  expect(() => loadConfig({ ...base, ...longest })).not.toThrow();
  for (const [name, most] of Object.entries(longest))
    expect(() => loadConfig({ ...base, [name]: String(Number(most) + 1) })).toThrow(`${name}: must be a whole number`);
});
