'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { renderNginx } = require('../../nginx/render');
const { blocksOf } = require('../../scripts/provision/proof/runbook');
const { spawnDaemon, stopPid } = require('../../scripts/lib/process');
const { binaries } = require('../../scripts/lib/runtime');
const { until } = require('../helpers/app');
const { request } = require('../helpers/http');
const { freePort } = require('../helpers/servers');

const perWorker = 512;

describe('nginx before a worker that does not keep up', () => {
  let dir = '';
  /** @type {http.ServerResponse[]} */
  const waiting = [];
  let arrived = () => {};
  const worker = http.createServer((_, response) => {
    waiting.push(response);
    arrived();
  });
  /** @type {import('../../scripts/lib/process').Daemon} */
  let nginx;
  let url = '';

  // Each test has an nginx of its own: what is counted in the log is what the test itself asked.
  beforeEach(async () => {
    dir = fs.mkdtempSync(path.join(os.tmpdir(), 'limit-'));
    fs.chmodSync(dir, 0o711); // nginx's own workers, "nobody" when we are root, pass through it
    const workerPort = await freePort();
    await new Promise((resolve) => void worker.listen(workerPort, '127.0.0.1', () => resolve(null)));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const workers = [`127.0.0.1:${workerPort}`];
    const text = renderNginx({ port, workers, work: dir, logs: dir, openFiles: 4096 });
    const config = path.join(dir, 'nginx.conf');
    // A slow machine must not bring the worker's time-out into this.
    fs.writeFileSync(config, text.replace(/proxy_read_timeout \S+;/g, 'proxy_read_timeout 60s;'));
    const log = path.join(dir, 'nginx-error.log');
    const command = [binaries().nginx, '-p', `${dir}/`, '-e', log, '-c', config];
    nginx = await spawnDaemon(command, { log, pidFile: path.join(dir, 'pid') });
    await until(() => fs.existsSync(path.join(dir, 'nginx.pid')));
  });
  afterEach(async () => {
    waiting.splice(0).forEach((response) => response.destroy());
    worker.closeAllConnections();
    worker.close();
    if (nginx) await stopPid(nginx.pid, 'SIGTERM', 5000);
    fs.rmSync(dir, { recursive: true });
  });

  /** Takes every place that documents have. @returns {Promise<Promise<unknown>[]>} those that wait in them */
  async function fillPlaces() {
    const full = new Promise((resolve) => {
      arrived = () => waiting.length === perWorker && resolve(null);
    });
    const held = Array.from({ length: perWorker }, (_, index) =>
      request(url, { path: `/products/${index + 1}` }).catch(() => null),
    );
    await full;
    return held;
  }

  test('so many documents wait, the next is refused at once, and lists go on', async () => {
    const held = await fillPlaces();
    const refused = await request(url, { path: '/products/999' });
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(refused.body)).toMatchObject({ type: 'urn:catalog:problem:overloaded' });
    const list = request(url, { path: '/products?count=3' });
    await new Promise((resolve) => void (arrived = () => resolve(null)));
    expect(waiting).toHaveLength(perWorker + 1);
    waiting.splice(0).forEach((response) => response.end('[]'));
    expect((await list).status).toBe(200);
    await Promise.all(held);
    const after = request(url, { path: '/products/999' });
    await new Promise((resolve) => void (arrived = () => resolve(null)));
    waiting.splice(0).forEach((response) => response.end('{}'));
    expect((await after).status).toBe(200);
  });

  test("the runbook tells what nginx refused from a worker's own refusal", async () => {
    const own = request(url, { path: '/products/1000' });
    await new Promise((resolve) => void (arrived = () => resolve(null)));
    waiting.splice(0).forEach((response) => response.writeHead(503).end());
    expect((await own).status).toBe(503);
    const held = await fillPlaces();
    expect((await request(url, { path: '/products/999' })).status).toBe(503);
    waiting.splice(0).forEach((response) => response.end('{}'));
    await Promise.all(held);
    const [{ commands }] = blocksOf('breaking-point.md').filter((block) => block.commands.includes('refused'));
    const script = commands.replaceAll('/var/log/catalog-nginx', dir);
    const counts = () => execFileSync('bash', ['-c', script], { encoding: 'utf8' });
    await until(() => /^ *2 "status":503$/m.test(counts()));
    expect(counts()).toMatch(/^1 refused by nginx$/m);
  });
});
