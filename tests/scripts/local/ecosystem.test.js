'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { apps } = require('../../../ecosystem.config');
const { pm2Environment } = require('../../../scripts/local/pm2');
const { root } = require('../../../scripts/lib/runtime');
const { describeState } = require('../../../scripts/local/state');
const { loadConfig } = require('../../../server/config/config');
const { SETTINGS } = require('../../../server/config/settings');

test("PM2 finds a worker's script below its folder, also with a space in the path", () => {
  for (const { script, cwd } of apps) {
    expect(path.isAbsolute(script)).toBe(false);
    expect(script).not.toContain(' ');
    expect(require.resolve(path.join(cwd, script))).toBe(require.resolve('../../../server/index.js'));
  }
});

test('PM2 runs the writer where it has a database, and keeps that from the workers', () => {
  process.env.WRITE_DATABASE_URL = 'postgres://catalog_writer@/catalog';
  jest.isolateModules(() => {
    /** @type {typeof apps} */
    const own = require('../../../ecosystem.config').apps;
    expect(own.map(({ name }) => name)).toEqual([...apps.map(({ name }) => name), 'writer']);
    expect(own.map(({ script }) => script).at(-1)).toBe('server/writer/index.js');
    for (const { filter_env: filtered } of own.slice(0, -1)) expect(filtered).toEqual(['WRITE_']);
  });
  delete process.env.WRITE_DATABASE_URL;
});

test('npm start sets where workers listen and what they run, whatever the shell exports', () => {
  const exported = { HOST: 'somewhere', ADMIN_HOST: '0.0.0.0', CATALOG_HOME: '/nowhere', LOG_LEVEL: 'debug' };
  Object.assign(process.env, exported);
  const given = pm2Environment(describeState('/srv/state'), { CATALOG_WORKERS: '2' });
  for (const name of Object.keys(exported)) delete process.env[name];
  expect(Object.keys(exported).filter((name) => name in given)).toEqual(['LOG_LEVEL']);
  expect(given.CATALOG_WORKERS).toBe('2');
});

describe('waits longer than a worker', () => {
  const longest = { DRAIN_DEADLINE_MS: '25000', READY_WAIT_MS: '8000' };
  afterEach(() => Object.keys(longest).forEach((name) => delete process.env[name]));

  /** @param {Record<string, string>} environment */
  function appsWith(environment) {
    Object.assign(process.env, environment);
    /** @type {typeof apps} */
    let own = [];
    jest.isolateModules(() => (own = require('../../../ecosystem.config').apps));
    expect(own.length).toBeGreaterThan(0);
    return own;
  }

  test.each([
    ['by default', {}],
    ['as it is set', longest],
  ])('PM2, %s', (_, environment) => {
    const own = appsWith(environment);
    const ofWorker = (/** @type {keyof typeof longest} */ name) =>
      Number(process.env[name] ?? /** @type {any} */ (SETTINGS[name]).default);
    for (const { kill_timeout: killMs, listen_timeout: listenMs } of own) {
      expect(killMs - ofWorker('DRAIN_DEADLINE_MS')).toBe(3000);
      expect(listenMs - ofWorker('READY_WAIT_MS')).toBe(12_000);
    }
  });

  /** @param {string} file @param {RegExp} pattern of a number of seconds @returns {number} in ms */
  const waits = (file, pattern) => 1000 * Number(pattern.exec(fs.readFileSync(path.join(root, file), 'utf8'))?.[1]);

  test('each program that starts or stops PM2, however long a worker may take', () => {
    const unit = 'scripts/fleet/roles/app/templates/catalog-workers.service.j2';
    const stopMs = waits(unit, /^TimeoutStopSec=(\d+)$/m);
    const startMs = waits(unit, /^TimeoutStartSec=\{\{ 60 \+ (\d+) \* app_programs/m);
    for (const { kill_timeout: killMs, listen_timeout: listenMs } of appsWith(longest)) {
      expect(killMs).toBeLessThan(stopMs);
      expect(listenMs).toBeLessThanOrEqual(startMs);
    }
    const base = { DATABASE_URL: 'postgres://x@/x' };
    expect(() => loadConfig({ ...base, ...longest })).not.toThrow();
    for (const [name, most] of Object.entries(longest))
      expect(() => loadConfig({ ...base, [name]: String(Number(most) + 1) })).toThrow(
        `${name}: must be a whole number`,
      );
  });
});
