'use strict';
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');

const { startNginx } = require('../../scripts/local/nginx');
const { childrenOf, descriptorsOf, readOrNothing } = require('../../scripts/lib/proc');
const { until } = require('../helpers/app');
const { request } = require('../helpers/http');
const { freePort } = require('../helpers/servers');

describe('nginx before two workers', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'upstreams-'));
  const state = { stuck: false, asked: 0 };
  /** @type {string[]} */
  const targets = [];
  /** @type {(string | undefined)[]} */
  const validators = [];
  /** @type {http.IncomingHttpHeaders} of the last request */
  let told = {};
  const [first, second] = [0, 1].map((index) =>
    http.createServer((req, response) => {
      if (req.url?.includes('break')) return void req.socket.destroy();
      targets.push(req.url ?? '');
      validators.push(req.headers['if-none-match']);
      told = req.headers;
      if (index === 0) state.asked += 1;
      if (index === 1 || !state.stuck) response.end('{}');
    }),
  );
  /** @type {Awaited<ReturnType<typeof startNginx>>} */
  let nginx;
  let url = '';

  beforeAll(async () => {
    const from = await freePort(3);
    for (const [index, worker] of [first, second].entries())
      await new Promise((resolve) => void worker.listen(from + index, '127.0.0.1', () => resolve(null)));
    url = `http://127.0.0.1:${from + 2}`;
    fs.chmodSync(dir, 0o711);
    const workers = [`127.0.0.1:${from}`, `127.0.0.1:${from + 1}`];
    nginx = await startNginx({ dir, port: from + 2, workers });
  });
  afterAll(async () => {
    for (const worker of [first, second]) {
      worker.closeAllConnections();
      worker.close();
    }
    await nginx?.stop();
    fs.rmSync(dir, { recursive: true });
  });

  /** @param {number} index */
  const status = async (index) => (await request(url, { path: `/products/${index}` })).status;

  test('each process of nginx takes its share of the connections', async () => {
    const workersOf = () =>
      childrenOf(nginx.pid).filter(
        (pid) => readOrNothing(`/proc/${pid}/cmdline`).includes('worker process'), // not its cache processes
      );
    await until(() => workersOf().length === os.availableParallelism()); // the pid file is written before they set their titles
    const processes = workersOf();
    const held = () => processes.map((pid) => descriptorsOf(pid).filter((name) => name.startsWith('socket:')).length);
    const before = held();
    const clients = Array.from({ length: 100 * processes.length }, () =>
      net.connect(Number(new URL(url).port), '127.0.0.1'),
    );
    const taken = () => held().map((sockets, index) => sockets - before[index]);
    await until(() => taken().reduce((sum, share) => sum + share) >= clients.length);
    expect(Math.min(...taken())).toBeGreaterThan(50); // of 100; five deviations of a fair coin below
    clients.forEach((client) => client.destroy());
  });

  test.each([
    'count=51',
    'count=200',
    'count=051',
    'count=201',
    'count=0201',
    'page=3&count=20000',
    'count=%32%30%31',
    'count=2%30000',
    '%63ount=20000',
  ])('a long list is never cached: ?%s', async (query) => {
    const rounds = 10; // an entry is kept from the eighth request on
    const answers = async (/** @type {string} */ path) => {
      for (let round = 0; round < rounds; round += 1) await request(url, { path });
      return targets.filter((target) => target === path).length;
    };
    expect(await answers(`/products?${query}`)).toBe(rounds);
    expect(await answers(`/products?mark=${targets.length}&count=50`)).toBeLessThan(rounds);
  });

  test('a worker evaluates If-None-Match of a list that nginx does not cache', async () => {
    const headers = { 'If-None-Match': '"etag"' };
    validators.length = 0;
    for (let round = 0; round < 10; round += 1) await request(url, { path: '/products?count=51', headers });
    expect(validators).toEqual(Array(10).fill('"etag"'));
  });

  test('a very long query bypasses the cache, because its patterns may give up on it', async () => {
    const asked = async (/** @type {number} */ length) => {
      const path = `/products?mark=${'m'.repeat(length)}`;
      for (let round = 0; round < 10; round += 1) await request(url, { path });
      return targets.filter((target) => target === path).length;
    };
    expect(await asked(1030)).toBe(10);
    expect(await asked(900)).toBeLessThan(10); // kept from the eighth request on
  });

  test("a worker gets the client's real address, whatever headers the client sends", async () => {
    await request(url, { path: '/products/77', headers: { 'X-Forwarded-For': '8.8.8.8', 'X-Forwarded-Proto': 'ftp' } });
    expect(told).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
  });

  test('a second nginx on its port is refused, since it would take half of the requests', async () => {
    const other = fs.mkdtempSync(path.join(os.tmpdir(), 'second-'));
    const port = Number(new URL(url).port);
    await expect(startNginx({ dir: other, port, workers: ['127.0.0.1:1'] })).rejects.toThrow(
      `port ${port} is in use by nginx`,
    );
    fs.rmSync(other, { recursive: true });
  });

  test('workers that restart in turn fail no request', async () => {
    for (const [index, worker] of [first, second].entries()) {
      const { port } = /** @type {import('node:net').AddressInfo} */ (worker.address());
      worker.closeAllConnections();
      await new Promise((resolve) => void worker.close(resolve));
      for (let round = 0; round < 20; round += 1) expect(await status(300 + 20 * index + round)).toBe(200);
      await new Promise((resolve) => void worker.listen(port, '127.0.0.1', () => resolve(null)));
    }
  });

  test('while no worker answers, popular replies are still served', async () => {
    for (let round = 0; round < 10; round += 1) expect(await status(400)).toBe(200);
    const ports = [first, second].map((worker) => /** @type {net.AddressInfo} */ (worker.address()).port);
    for (const worker of [first, second]) {
      worker.closeAllConnections();
      await new Promise((resolve) => void worker.close(resolve));
    }
    const log = path.join(dir, 'logs', 'nginx-access.log');
    await until(async () => {
      expect(await status(400)).toBe(200);
      return fs.readFileSync(log, 'utf8').includes('"cache":"STALE"');
    });
    expect(await status(401)).toBe(503);
    for (const [index, worker] of [first, second].entries())
      await new Promise((resolve) => void worker.listen(ports[index], '127.0.0.1', () => resolve(null)));
  });

  test('no number of bad requests ejects all workers', async () => {
    for (let round = 0; round < 20; round += 1)
      expect((await request(url, { path: `/products/1?break=${round}` })).status).toBe(503);
    state.asked = 0;
    for (let round = 1; round <= 50; round += 1) expect(await status(round)).toBe(200);
    expect(state.asked).toBeGreaterThan(0);
  });

  test('no log has a text that was searched, also when workers fail', async () => {
    const [access, errors] = ['access', 'error'].map((name) => path.join(dir, 'logs', `nginx-${name}.log`));
    const asked = ['/search?q=zorgon-break', '/suggest/?q=zorgon-break', '/?q=zorgon-break', '/products/1?break'];
    for (const target of asked) expect((await request(url, { path: target })).status).toBe(503);
    await until(() => [access, errors].every((file) => readOrNothing(file).includes('/products/1?break')));
    expect(readOrNothing(access) + readOrNothing(errors)).not.toContain('zorgon');
  });

  test('a stuck worker fails no request, and soon gets no more requests', async () => {
    state.stuck = true;
    const met = await Promise.all(Array.from({ length: 20 }, (_, index) => status(100 + index)));
    expect(new Set(met)).toEqual(new Set([200]));
    state.asked = 0;
    for (let round = 0; round < 100; round += 1) expect(await status(200 + round)).toBe(200);
    expect(state.asked).toBeLessThan(10);
  });
});
