'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { promisify } = require('node:util');
const { launch } = require('../../scripts/k6/launch');
const { carriesMark, otherPids, readOrNothing } = require('../../scripts/lib/proc');
const { root } = require('../../scripts/lib/runtime');
const { provideK6, runK6, takeRun } = require('../helpers/k6');
const { unless } = require('../helpers/skip');
const { startStack } = require('../helpers/stack');

const found = provideK6();
const env = 'k6' in found ? { K6_BIN: found.k6 } : {};

/** Seconds of leave for a machine that does other things: what is tested is the gate, not the speed. */
const lenient = ['--budget', '5000'];
const small = ['ladder', '--duration', '1s'];

const products = Array.from({ length: 30 }, (_, n) => ({
  id: 2 * n + 1,
  campus: 'c',
  name: 'n',
  slogan: 's',
  description: 'd',
  category: 'k',
  default_price: '1.00',
  created_at: '',
  updated_at: '',
}));

/** @param {URL} url */
function answerOf({ pathname, searchParams }) {
  const [, , id, tail] = pathname.split('/');
  if (id === undefined) {
    const [page, count, after] = ['page', 'count', 'after'].map((name) => Number(searchParams.get(name)));
    const from = after ? products.filter((one) => one.id <= after).length : (page - 1) * count;
    return { route: 'list', count, body: products.slice(from, from + count) };
  }
  const product = products.find((one) => one.id === Number(id));
  if (tail === 'styles') return { route: 'styles', body: { product_id: id, results: [] } };
  if (tail === 'related') return { route: 'related', body: [1] };
  return { route: 'product', body: { ...product, features: [] } };
}

/**
 * A service of four right answers, each of which can be spoiled. Pages of another length than five are the setup's.
 * @param {Record<string, (response: http.ServerResponse, body: any) => unknown>} spoilers
 */
async function startFake(spoilers) {
  /** @type {{ route: string, place: number }[]} `place`: of a product its id, of a list its page; -1 for the setup's */
  const asked = [];
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    const { route, body, count = 5 } = answerOf(url);
    const place = Number(url.searchParams.get('page') ?? url.pathname.split('/')[2]);
    asked.push({ route, place: count === 5 ? place : -1 });
    const spoil = count === 5 ? spoilers[route] : undefined;
    if (spoil) spoil(response, body);
    else response.end(JSON.stringify(body));
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, asked, close: () => server.close().closeAllConnections() };
}

/** @param {string} url @param {string[]} [words] */
async function ladder(url, words = lenient) {
  const { status, output, folder } = await runK6([...small, '--rates', '10', '--url', url, ...words], env);
  if (!folder) throw new Error(output);
  return { status, run: takeRun(folder) };
}

unless('reason' in found && found.reason).describe('the gate', () => {
  test('holds on a whole stack, draws what its workers tell, and bursts over HTTP/1.1 and HTTP/2', async () => {
    const stack = await startStack();
    try {
      const words = [...small, '--rates', '2,20', ...lenient, '--state', stack.state];
      const { status, output, folder } = await runK6(words, env);
      expect({ status, output }).toMatchObject({ status: 0 });
      const run = takeRun(folder);
      expect(run).toMatchObject({ ok: true, reasons: [], catalog: { rows: 500, known: 500 } });
      expect(run.rows.map(({ scenario }) => scenario)).toEqual(
        ['list', 'product', 'styles', 'related'].flatMap((route) => [`${route}-2`, `${route}-20`]),
      );
      for (const { requests, rate = 0 } of run.rows) expect(requests).toBeGreaterThanOrEqual(rate);
      const burst = await runK6(['burst', '--rounds', '1', '--state', stack.state], env);
      if (!burst.folder) throw new Error(burst.output);
      expect(takeRun(burst.folder).rows).toMatchObject(
        ['http1', 'http2'].map((scenario) => ({ scenario, requests: 500, errors: 0 })),
      );
    } finally {
      await stack.stop();
    }
  }, 180_000);

  test('holds on a stand-in that answers right, with k6 on a core of its own', async () => {
    const fake = await startFake({});
    const { status, run } = await ladder(fake.url, [...lenient, '--cores', '0']);
    fake.close();
    expect({ status, reasons: run.reasons }).toEqual({ status: 0, reasons: [] });
    expect(run.k6).toMatch(/on cores 0$/);
  }, 120_000);

  test('holds for a mix of so few requests that it does not come to each route', async () => {
    const fake = await startFake({});
    const { status, run } = await ladder(fake.url, ['--route', 'mix', '--rates', '1', ...lenient]);
    fake.close();
    expect({ status, reasons: run.reasons }).toEqual({ status: 0, reasons: [] });
    const [whole, ...parts] = run.rows;
    expect(whole.requests).toBeGreaterThan(0);
    expect(parts.map(({ requests }) => requests)).toContain(0);
    expect(parts.reduce((sum, { requests }) => sum + requests, 0)).toBe(whole.requests);
  }, 120_000);

  test('says that a machine has no such core', async () => {
    const words = [...small, '--rates', '10', '--url', 'http://127.0.0.1:9', '--cores', '9999'];
    const { status, output } = await runK6(words, env);
    expect({ status, output }).toEqual({ status: 2, output: expect.stringContaining('taskset') });
  });

  test('goes red when one route is slow, one wrong, one refused and one no JSON, and says which', async () => {
    const slowMs = 700;
    const fake = await startFake({
      list: (response, body) => sleep(slowMs).then(() => response.end(JSON.stringify(body))),
      product: (response, body) => response.end(JSON.stringify({ ...body, id: body.id + 1 })),
      styles: (response) => response.writeHead(503).end('{}'),
      related: (response) => response.end('<html>'),
    });
    const { status, run } = await ladder(fake.url, ['--budget', String(slowMs / 2)]);
    fake.close();
    expect(status).toBe(1);
    expect(run.failures).toEqual({ 503: expect.any(Number) });
    const refused = run.rows.find(({ route }) => route === 'styles');
    expect(refused).toMatchObject({ rps: 0, p99Ms: 0 }); // no answer, so no time of one
    const reasons = Object.fromEntries(run.reasons.map((reason) => reason.split(/: (.*)/)));
    // A busy machine makes each of them slower still, and so adds reasons.
    expect(reasons['list-10']).toMatch(/^p99 [\d,]+ ms, allowed 350 ms/);
    for (const route of ['product', 'styles', 'related']) {
      expect(reasons[`${route}-10`]).toMatch(/\b(\d+) of \1 replies failed or were wrong/);
    }
  }, 120_000);

  test('sees each wrong body at a rate at which few are parsed, and a list that is always the first page', async () => {
    const fake = await startFake({
      list: (response) => response.end(JSON.stringify(products.slice(0, 5))),
      product: (response, body) => response.end(JSON.stringify({ ...body, id: body.id + 1 })),
      styles: (response, body) => response.end(JSON.stringify(body).slice(0, -1)),
    });
    const words = ['--route', 'list,product,styles', '--rates', '500', ...lenient];
    const { status, run } = await ladder(fake.url, words);
    fake.close();
    expect(status).toBe(1);
    const [list, ...others] = run.rows;
    expect(list.errors / list.requests).toBeGreaterThan(0.5); // five of six pages
    for (const { errors, requests } of others) expect(errors).toBe(requests);
    expect(others).toHaveLength(2);
  }, 120_000);

  test('goes red when requests could not be sent in time', async () => {
    // 200 users that wait for two seconds each send 100 requests a second, not the 200 that are asked for.
    /** @type {(response: http.ServerResponse, body: any) => unknown} */
    const late = (response, body) => sleep(2000).then(() => response.end(JSON.stringify(body)));
    const fake = await startFake({ list: late, product: late, styles: late, related: late });
    const words = ['--route', 'product,mix', '--rates', '200', '--duration', '3s'];
    const { status, run } = await ladder(fake.url, words);
    fake.close();
    expect(status).toBe(1);
    const told = run.reasons.filter((reason) => /\d requests could not be sent in time/.test(reason));
    expect(told.map((reason) => reason.split(':')[0])).toEqual(['product-200', 'mix-200']);
  }, 120_000);

  test('tells how late k6 itself was, which is in none of its times', async () => {
    const inTheRung = 165; // 150 of the warm-up, then 50
    let asked = 0;
    /** @type {Awaited<ReturnType<typeof startFake>>} */
    const fake = await startFake({
      async product(response, body) {
        response.end(JSON.stringify(body));
        asked += 1;
        if (asked !== inTheRung) return;
        const isK6 = (/** @type {number} */ pid) => /^k6/.test(readOrNothing(`/proc/${pid}/comm`));
        const [k6] = otherPids().filter((pid) => isK6(pid) && carriesMark(pid, fake.url));
        process.kill(k6, 'SIGSTOP');
        await sleep(200);
        process.kill(k6, 'SIGCONT');
      },
    });
    const { run } = await ladder(fake.url, ['--route', 'product,mix', '--rates', '50', ...lenient]);
    fake.close();
    const [product, mix, ...parts] = run.rows.map(({ lateMs }) => lateMs);
    expect(product).toBeGreaterThan(100);
    expect([typeof mix, ...parts]).toEqual(['number', ...Array(4).fill(undefined)]);
  }, 120_000);

  test('asks four products for a list, one for styles and one for related, of the whole catalog and its end most', async () => {
    const fake = await startFake({});
    const { folder, output } = await runK6(['mix', '--rate', '500', '--duration', '4s', '--url', fake.url], env);
    fake.close();
    if (!folder) throw new Error(output);
    expect(takeRun(folder).rows[0]).toMatchObject({ scenario: 'mix-500', errors: 0 });
    const asked = fake.asked.filter(({ place }) => place > 0);
    // Bounds: four standard deviations and more.
    const shareOf = (/** @type {string} */ wanted) =>
      asked.filter(({ route }) => route === wanted).length / asked.length;
    expect(Math.abs(shareOf('product') - 4 / 7)).toBeLessThan(0.05);
    for (const route of ['list', 'styles', 'related']) expect(Math.abs(shareOf(route) - 1 / 7)).toBeLessThan(0.035);
    const ids = asked.filter(({ route }) => route !== 'list').map(({ place }) => place);
    const last = products.slice(-products.length / 10).map(({ id }) => id);
    const share = ids.filter((id) => last.includes(id)).length / ids.length;
    expect(share).toBeGreaterThan(0.15); // a tenth of the draws, and a tenth of the others: 0.19
    expect(share).toBeLessThan(0.23);
    expect(new Set(ids)).toEqual(new Set(products.map(({ id }) => id)));
    const pages = asked.filter(({ route }) => route === 'list').map(({ place }) => place);
    expect([...new Set(pages)].sort()).toEqual([1, 2, 3, 4, 5, 6]);
  }, 120_000);

  test('a probe of a search asks for the ids that were given to it, and reads none', async () => {
    const fake = await startFake({});
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-')), 'catalog.json');
    const runs = [0, 57, 1, 59].map((number) => String(number).padStart(10, '0')).join('');
    fs.writeFileSync(file, JSON.stringify({ rows: 30, known: 2, runs }));
    const settings = { BASE_URL: fake.url, CATALOG: file, ROUTES: 'product', RATE: '20', DURATION: '1s' };
    const words = ['run', '--quiet', '--address=', path.join(root, 'k6/breakpoint.js')];
    const [program, options] = [
      'k6' in found ? found.k6 : '',
      { env: { ...process.env, ...settings, P99_MS: '5000' } },
    ];
    const { stdout } = await promisify(execFile)(program, words, options);
    fake.close();
    fs.rmSync(path.dirname(file), { recursive: true });
    expect(stdout).toMatch(/^ok +product 20: 2\d requests/);
    // -1: pages of one, with which some replies are compared
    expect(new Set(fake.asked.map(({ place }) => place))).toEqual(new Set([57, 59, -1]));
  }, 120_000);

  test('samples come as they are made, and not a second of them at once, which would hold a core', async () => {
    const fake = await startFake({});
    const arrivedMs = /** @type {number[]} */ ([]);
    const { rows } = await launch({
      k6: 'k6' in found ? found.k6 : '',
      cores: undefined,
      test: 'ladder',
      env: { BASE_URL: fake.url, ROUTES: 'product', RATES: '100', DURATION: '3s', P99_MS: '5000' },
      onSample: () => void arrivedMs.push(performance.now()),
      onStart: () => {},
      signal: new AbortController().signal,
    });
    fake.close();
    expect(rows).toMatchObject([{ route: 'product', errors: 0 }]);
    const parts = arrivedMs.filter((atMs, index) => index === 0 || atMs - arrivedMs[index - 1] > 5);
    expect(parts.length).toBeGreaterThan(30); // 7 to 10 when k6 writes once a second
  }, 120_000);

  test('measures nothing where nothing answers: one line, and no result', async () => {
    const { status, output, folder } = await runK6(
      ['smoke', '--url', 'http://127.0.0.1:1', '--state', os.tmpdir()],
      env,
    );
    expect({ status, folder }).toEqual({ status: 2, folder: '' });
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain('start the service');
  }, 60_000);
});
