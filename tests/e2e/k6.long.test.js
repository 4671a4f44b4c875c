'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { makeCertificate } = require('../helpers/certificate');
const { withClient } = require('../../scripts/local/roles');
const { findStack } = require('../../scripts/local/state');
const { until } = require('../helpers/app');
const { provideK6, runK6, takeRun } = require('../helpers/k6');
const { noHttp2 } = require('../helpers/nginx');
const { freePort } = require('../helpers/servers');
const { unless } = require('../helpers/skip');
const { startStack, workerPids } = require('../helpers/stack');

const found = provideK6();
const k6 = 'k6' in found ? found.k6 : '';
const env = { K6_BIN: k6 };

unless('reason' in found && found.reason).describe('a whole stack', () => {
  /** @type {import('../helpers/stack').Stack} */
  let stack;
  beforeAll(async () => {
    const made = makeCertificate(fs.mkdtempSync(path.join(os.tmpdir(), 'k6-tls-')));
    if (!made) throw new Error('openssl is missing');
    const tls = ['--certificate', made.certFile, '--key', made.keyFile, '--tls-port', String(await freePort())];
    stack = await startStack({ words: tls });
  }, 120_000);
  afterAll(() => stack?.stop());

  /** @param {number} count of replies by workers, after which traffic flows */
  const traffic = async (count) => {
    const totals = async () => {
      const ports = [stack.ports['admin-port'], stack.ports['admin-port'] + 1];
      const texts = await Promise.all(
        ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
      );
      const counts = texts.flatMap((text) => [...text.matchAll(/^catalog_replies_total\{.*\} (\d+)$/gm)]);
      return counts.reduce((sum, [, value]) => sum + Number(value), 0);
    };
    const before = await totals();
    await until(async () => (await totals()) > before + count);
  };

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
    const words = ['soak', '--rate', '20', '--duration', '15s', '--budget', '5000', '--state', stack.state];
    const running = runK6(words, env);
    await traffic(60);
    process.kill(workerPids(stack.state)[0], 'SIGKILL');
    const { status, folder, output } = await running;
    expect([status, output]).toEqual([1, expect.stringMatching(/k6: worker [12] ended during the run and is another/)]);
    expect(takeRun(folder).reasons).toContain('ended_workers count==0, but 1');
    expect(output).toMatch(/k6: worker [12]: memory \d+ → \d+ MB$/m);
  }, 120_000);

  test('may serve other data during a run, and bodies that differ since then are not wrong', async () => {
    const dsn = String(findStack(stack.state)?.loaderDsn);
    const change = `BEGIN;
      UPDATE catalog.product_documents SET related = '[1]', head = replace(head, '"campus":"', '"campus":"new-');
      SELECT catalog_meta.bump_version(); COMMIT`;
    const words = ['mix', '--rate', '20', '--duration', '12s', '--budget', '5000', '--state', stack.state];
    const running = runK6(words, env);
    await traffic(60);
    await withClient(dsn, async (client) => void (await client.query(change)));
    const { folder, output } = await running;
    if (!folder) throw new Error(output);
    const run = takeRun(folder);
    expect(run.rows[0]).toMatchObject({ route: 'mix', errors: 0, missed: [] });
    expect(run.rows[0].outdated).toBeGreaterThan(0);
    const part = (/** @type {string} */ route) => run.rows.slice(1).find((row) => row.route === route);
    expect(part('styles')?.outdated).toBe(0); // the change did not affect them
    expect(output).toMatch(/the data changed: \d+ bodies that differ since then are no errors/);
  }, 120_000);

  test('breaks at a rate that k6 finds', async () => {
    const words = ['breakpoint', '--route', 'product', '--rate', '20', '--duration', '3s', '--budget', '1000'];
    const { status, folder, output } = await runK6([...words, '--state', stack.state], env);
    expect([status, output]).toEqual([
      0,
      expect.stringMatching(/^- product: breaks at [\d,]+ requests a second; \w+/m),
    ]);
    const [{ rate = 0, requests, missed }] = takeRun(folder).rows;
    expect(rate).toBeGreaterThanOrEqual(40);
    expect(requests).toBeGreaterThan(60);
    expect(missed).not.toEqual([]);
  }, 120_000);
});
