'use strict';
const { launch } = require('../../scripts/k6/launch');
const { withClient } = require('../../scripts/local/roles');
const { findStack } = require('../../scripts/local/state');
const { provideK6, runK6, takeRun } = require('../helpers/k6');
const { noHttp2 } = require('../helpers/nginx');
const { unless } = require('../helpers/skip');
const { startStack, workerPids } = require('../helpers/stack');

const found = provideK6();
const k6 = 'k6' in found ? found.k6 : '';
const env = { K6_BIN: k6 };

unless('reason' in found && found.reason).describe('a whole stack', () => {
  /** @type {import('../helpers/stack').Stack} */
  let stack;
  beforeAll(async () => {
    stack = await startStack();
  }, 120_000);
  afterAll(() => stack?.stop());

  test('answers a burst over HTTP/1.1, and over HTTP/2 where nginx is patched', async () => {
    const { folder, output } = await runK6(['burst', '--rounds', '1', '--state', stack.state], env);
    if (!folder) throw new Error(output);
    const isWithout = noHttp2();
    if (isWithout) expect(output).toContain(`no HTTP/2: ${isWithout}`);
    expect(takeRun(folder).rows).toMatchObject(
      (isWithout ? ['http1'] : ['http1', 'http2']).map((scenario) => ({
        scenario,
        requests: 500,
        compared: 500,
        errors: 0,
      })),
    );
  }, 120_000);

  test('is watched during a soak, and a worker that restarts fails it', async () => {
    let isKilled = false;
    const onOutput = (/** @type {string} */ text) => {
      if (/^mix-20 /m.test(text)) isKilled ||= process.kill(workerPids(stack.state)[0], 'SIGKILL');
    };
    const words = ['soak', '--rate', '20', '--duration', '20s', '--budget', '5000', '--state', stack.state];
    const { folder, output } = await runK6(words, env, onOutput);
    if (!folder) throw new Error(output);
    const run = takeRun(folder);
    expect(run.soak?.lives.map(({ processes }) => processes).sort()).toEqual([1, 2]);
    expect(run.reasons).toContainEqual(expect.stringMatching(/^worker [12]: restarted, 2 processes during the run$/));
  }, 120_000);

  test('counts bodies that differ after a change of the data as outdated, not as wrong', async () => {
    const dsn = String(findStack(stack.state)?.loaderDsn);
    const change = `BEGIN;
      UPDATE catalog.product_documents SET related = '[1]', head = replace(head, '"campus":"', '"campus":"new-');
      SELECT catalog_meta.bump_version(); COMMIT`;
    /** @type {Promise<void> | undefined} */
    let changed;
    const onOutput = (/** @type {string} */ text) => {
      if (/^mix-20 /m.test(text)) changed ??= withClient(dsn, async (client) => void (await client.query(change)));
    };
    const words = ['mix', '--rate', '20', '--duration', '12s', '--budget', '5000', '--state', stack.state];
    const { folder, output } = await runK6(words, env, onOutput);
    await changed;
    if (!folder) throw new Error(output);
    const run = takeRun(folder);
    expect(run.content).toEqual({ source: 'database', changedAt: expect.stringMatching(/Z$/) });
    expect(run.rows[0]).toMatchObject({ route: 'mix', errors: 0, missed: [] });
    expect(run.rows[0].outdated).toBeGreaterThan(0);
    const part = (/** @type {string} */ route) => run.rows.slice(1).find((row) => row.route === route);
    expect(part('styles')?.outdated).toBeUndefined(); // the change did not affect them
    expect(output).toMatch(/the data changed at [\d:]+ UTC: \d+ bodies that differ since then do not count as wrong/);
  }, 120_000);

  test('samples arrive continuously, because a second of them at once would hold a core', async () => {
    const arrivedMs = /** @type {number[]} */ ([]);
    const { rows } = await launch({
      k6,
      test: 'ladder',
      env: { BASE_URL: stack.url, ROUTES: 'product', RATES: '100', DURATION: '3s', P99_MS: '5000' },
      onLine: () => Boolean(arrivedMs.push(performance.now())),
      onStart: () => {},
      say: () => {},
      signal: new AbortController().signal,
    });
    expect(rows).toMatchObject([{ route: 'product', errors: 0 }]);
    const parts = arrivedMs.filter((atMs, index) => index === 0 || atMs - arrivedMs[index - 1] > 5);
    expect(parts.length).toBeGreaterThan(30); // 7 to 10 if k6 writes once a second
  }, 120_000);
});
