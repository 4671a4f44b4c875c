'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const http2 = require('node:http2');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');

const { renderNginx } = require('../../nginx/render');
const { blocksOf } = require('../lab/machines/runbook');
const { makeCertificate } = require('../helpers/certificate');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { DOCUMENTS_PER_WORKER: perWorker } = require('../../server/core/policy');
const { until } = require('../helpers/app');
const { request, sendBytes } = require('../helpers/http');
const { noHttp2, runNginx } = require('../helpers/nginx');
const { unless } = require('../helpers/skip');
const { freePort } = require('../helpers/servers');

const longLists = 64;

describe('nginx before a worker that cannot keep up', () => {
  let dir = '';
  /** @type {http.ServerResponse[]} */
  const waiting = [];
  let arrived = () => {};
  const worker = http.createServer((_, response) => {
    waiting.push(response);
    arrived();
  });
  /** @type {Awaited<ReturnType<typeof runNginx>>} */
  let nginx;
  let url = '';
  let tlsPort = 0;

  // Each test has a new nginx, so its log has only the requests of the test.
  beforeEach(async () => {
    dir = fs.mkdtempSync(path.join(os.tmpdir(), 'limit-'));
    const workerPort = await freePort();
    await new Promise((resolve) => void worker.listen(workerPort, '127.0.0.1', () => resolve(null)));
    const port = await freePort(2);
    tlsPort = port + 1;
    url = `http://127.0.0.1:${port}`;
    const workers = [`127.0.0.1:${workerPort}`];
    const made = makeCertificate(dir);
    if (!made) throw new Error('openssl is missing');
    const tls = { certificate: made.certFile, key: made.keyFile, port: tlsPort };
    const text = renderNginx({ port, workers, work: dir, logs: dir, openFiles: 4096, tls });
    // On a slow machine the worker's timeout must not end these requests.
    nginx = await runNginx(dir, text.replace(/proxy_read_timeout \S+;/g, 'proxy_read_timeout 60s;'));
  });
  afterEach(async () => {
    waiting.splice(0).forEach((response) => response.destroy());
    worker.closeAllConnections();
    worker.close();
    await nginx?.stop();
    fs.rmSync(dir, { recursive: true });
  });

  /** @param {number} count @returns {Promise<unknown>} once so many wait at the worker */
  const held = (count) => new Promise((resolve) => void (arrived = () => waiting.length === count && resolve(null)));

  /**
   * Takes every place of documents, or of long lists.
   * @param {number} [count] @param {(index: number) => string} [pathOf]
   * @returns {Promise<Promise<unknown>[]>} the waiting requests
   */
  async function fillPlaces(count = perWorker, pathOf = (index) => `/products/${index + 1}`) {
    const full = held(count);
    const callers = Array.from({ length: count }, (_, index) =>
      request(url, { path: pathOf(index) }).catch(() => null),
    );
    await full;
    return callers;
  }

  /** @param {string} body */
  const answerAll = (body) => waiting.splice(0).forEach((response) => response.end(body));

  /** @param {Awaited<ReturnType<typeof request>>} reply */
  function expectRefusal(reply) {
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(reply.body)).toMatchObject({ type: 'urn:catalog:problem:overloaded' });
  }

  test('refuses the next document at once when as many wait as may, and still passes lists', async () => {
    const held = await fillPlaces();
    expectRefusal(await request(url, { path: '/products/999' }));
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

  test('slow bodies take the places of requests with a body, and no others', async () => {
    const head = 'GET /products/1 HTTP/1.1\r\nHost: x\r\n';
    const port = Number(new URL(url).port);
    /** @type {net.Socket[]} */
    const senders = [];
    const sendSlowly = () => {
      const sender = net.connect(port, '127.0.0.1').on('error', () => {}); // nginx resets connections that it refuses
      sender.write(`${head}${senders.length % 2 ? 'Content-Length: 100' : 'Transfer-Encoding: chunked'}\r\n\r\n`);
      senders.push(sender);
    };
    for (let count = 0; count < perWorker; count += 1) sendSlowly();
    // A body that stops for 5 s (client_body_timeout) loses its place.
    const trickle = setInterval(
      () => senders.forEach((sender, index) => sender.write(index % 2 ? 'x' : '1\r\nx\r\n')),
      1000,
    );
    const whole = `${head}Connection: close\r\nContent-Length: 2\r\n\r\n{}`;
    // A whole request that comes before the last slow one takes its place, so each try adds another.
    arrived = () => answerAll('{}');
    await until(async () => {
      sendSlowly();
      return (await sendBytes(port, whole)).includes('urn:catalog:problem:overloaded');
    });
    expect((await request(url, { path: '/products/1' })).status).toBe(200);
    clearInterval(trickle);
    senders.forEach((sender) => sender.destroy());
    await until(async () => (await sendBytes(port, whole)).startsWith('HTTP/1.1 200'));
  });

  test('refuses the next long list at once when as many wait as may, and still passes documents', async () => {
    const names = ['count', 'c%6Funt'];
    const callers = await fillPlaces(longLists, (index) => `/products?page=${index + 1}&${names[index % 2]}=300`);
    for (const name of names) expectRefusal(await request(url, { path: `/products?page=999&${name}=300` }));
    const all = held(longLists + 1);
    const document = request(url, { path: '/products/1' });
    await all;
    answerAll('[]');
    expect((await document).status).toBe(200);
    await Promise.all(callers);
    arrived = () => answerAll('[]');
    expect((await request(url, { path: '/products?page=999&count=300' })).status).toBe(200);
  });

  unless(noHttp2()).test(
    'HTTP/2 clients that do not read lose the places of documents after some seconds',
    async () => {
      const full = held(perWorker);
      const sessions = Array.from({ length: 5 }, () => {
        const session = http2.connect(`https://127.0.0.1:${tlsPort}`, {
          rejectUnauthorized: false,
          settings: { initialWindowSize: 0 },
        });
        session.on('error', () => {});
        for (let stream = 0; stream < 120; stream += 1)
          session.request({ ':path': `/products/${stream + 1}` }).on('error', () => {});
        return session;
      });
      await full;
      answerAll('{}');
      expectRefusal(await request(url, { path: '/products/999' }));
      arrived = () => answerAll('{}');
      const isServed = async () => (await request(url, { path: '/products/999' })).status === 200;
      expect(await waitUntil(isServed, 15_000)).toBe(true);
      sessions.forEach((session) => session.destroy());
    },
  );

  test('plain HTTP at the port of HTTPS gets a problem document', async () => {
    const reply = await request(`http://127.0.0.1:${tlsPort}`, { path: '/products/1' });
    expect([reply.status, reply.headers['content-type']]).toEqual([400, 'application/problem+json']);
    expect(JSON.parse(reply.body)).toMatchObject({ status: 400 });
  });

  test("the runbook's command distinguishes refusals of nginx from those of a worker", async () => {
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
