'use strict';
const path = require('node:path');
const { apps } = require('../../ecosystem.config');
const { SETTINGS } = require('../../server/config');

test("PM2 finds a worker's script below its folder, and no space in a path makes a command of it", () => {
  for (const { script, cwd } of apps) {
    expect(path.isAbsolute(script)).toBe(false);
    expect(script).not.toContain(' ');
    expect(require.resolve(path.join(cwd, script))).toBe(require.resolve('../../server/index.js'));
  }
});

describe('PM2 waits longer than a worker', () => {
  const longest = { DRAIN_DEADLINE_MS: '20000', READY_WAIT_MS: '17000' };
  afterEach(() => Object.keys(longest).forEach((name) => delete process.env[name]));

  test.each([
    ['by default', {}],
    ['as it is set', longest],
  ])('%s', (_, environment) => {
    Object.assign(process.env, environment);
    /** @type {typeof apps} */
    let own = [];
    jest.isolateModules(() => (own = require('../../ecosystem.config').apps));
    const ofWorker = (/** @type {keyof typeof longest} */ name) =>
      Number(process.env[name] ?? /** @type {any} */ (SETTINGS[name]).default);
    for (const { kill_timeout: killMs, listen_timeout: listenMs } of own) {
      expect(killMs - ofWorker('DRAIN_DEADLINE_MS')).toBe(3000);
      expect(listenMs - ofWorker('READY_WAIT_MS')).toBe(12_000);
    }
    expect(own.length).toBeGreaterThan(0);
  });
});
