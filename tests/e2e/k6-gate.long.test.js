'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { promisify } = require('node:util');
const { otherPids, readOrNothing } = require('../../scripts/lib/proc');
const { root } = require('../../scripts/lib/runtime');
const { provideK6, runK6, takeRun } = require('../helpers/k6');
const { unless } = require('../helpers/skip');
const { carriesMark } = require('../helpers/stack');
const { products, startStandIn } = require('../helpers/stand-in');

const found = provideK6();
const k6 = 'k6' in found ? found.k6 : '';

/** A generous budget: the verdicts are tested, not the speed of this machine. */
const lenient = ['--budget', '5000'];
const cold = ['--', '-e', 'WARM_UP_SECONDS=0'];

/**
 * Runs a test against a fake service.
 * @param {Parameters<typeof startStandIn>[0]} spoilers @param {string[]} words @param {NodeJS.ProcessEnv} [env]
 */
async function measure(spoilers, words, env = {}) {
  const service = await startStandIn(spoilers);
  const { status, output, folder } = await runK6([...words.slice(0, 1), '--url', service.url, ...words.slice(1)], {
    K6_BIN: k6,
    ...env,
  });
  service.close();
  if (!folder) throw new Error(output);
  return { status, output, asked: service.asked, run: takeRun(folder) };
}

/** @typedef {(response: import('node:http').ServerResponse, body: any) => unknown} Spoiler */

/** @type {Record<string, Spoiler>} every route is wrong in its own way, and the list slow, too */
const wrong = {
  products: (response) => sleep(700).then(() => response.end(JSON.stringify(products.slice(0, 5)))),
  product: (response, body) => response.end(JSON.stringify({ ...body, id: body.id + 1 })),
  styles: (response, body) =>
    body.product_id < 50
      ? response.writeHead(503, { 'X-Request-Id': 'abc' }).end('{}')
      : response.end(JSON.stringify(body).slice(0, -1)),
  related: (response) => response.end('<html>'),
};

/** @type {Spoiler} */
const stuck = (response, body) => sleep(2000).then(() => response.end(JSON.stringify(body)));

/** @returns {Spoiler} a product that pauses k6 for 0.2 s */
function stopsK6() {
  let asked = 0;
  return async (response, body) => {
    response.end(JSON.stringify(body));
    asked += 1;
    if (asked !== 15) return;
    const k6s = otherPids().filter((pid) => /^k6/.test(readOrNothing(`/proc/${pid}/comm`)));
    const [pid] = k6s.filter((one) => carriesMark(one, `http://${response.req.headers.host}`));
    process.kill(pid, 'SIGSTOP');
    await sleep(200);
    process.kill(pid, 'SIGCONT');
  };
}

/** Two scripts with k6 alone. */
async function withoutRunner() {
  const service = await startStandIn({});
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
  const file = path.join(folder, 'catalog.json');
  const runs = [0, 57, 1, 59].map((number) => String(number).padStart(10, '0')).join('');
  fs.writeFileSync(file, JSON.stringify({ rows: 30, known: 2, runs }));
  const settings = { BASE_URL: service.url, RATES: '20', DURATION: '1s', P99_MS: '5000', WARM_UP_SECONDS: '0' };
  const env = { ...process.env, ...settings, ROUTES: 'product,list', CATALOG: file };
  const run = async (/** @type {string[]} */ ...[name, ...flags]) => {
    const words = ['run', '--quiet', '--address=', path.join(root, 'k6', name), ...flags];
    return (await promisify(execFile)(k6, words, { env })).stdout;
  };
  try {
    const ladder = await run('ladder.js');
    const asked = [...service.asked];
    return { ladder, asked, basic: await run('00.basic.js', '--no-thresholds') };
  } finally {
    service.close();
    fs.rmSync(folder, { recursive: true });
  }
}

unless('reason' in found && found.reason).describe('the gate', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
  const [samples, dashboard] = ['samples.json', 'dashboard.html'].map((name) => path.join(folder, name));
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  /** @type {Record<string, ReturnType<typeof measure>>} two at a time: they mostly wait */
  const runs = {};
  /** @type {ReturnType<typeof withoutRunner>} */
  let alone;
  beforeAll(() => {
    const env = {
      K6_WEB_DASHBOARD: 'true',
      K6_WEB_DASHBOARD_PORT: '-1',
      K6_WEB_DASHBOARD_PERIOD: '1s',
      K6_WEB_DASHBOARD_EXPORT: dashboard,
    };
    const ladder = ['ladder', '--route', 'product,mix,batch,included', '--rates', '2', '--duration', '1s', ...lenient];
    const passed = [...cold, '--tag', 'build=42', '--out', `json=${samples}`, '--summary-mode=full'];
    const mix = (/** @type {string} */ rate, /** @type {string} */ duration) => [
      'mix',
      '--rate',
      rate,
      '--duration',
      duration,
      ...lenient,
      ...cold,
    ];
    const all = { products: stuck, product: stuck, styles: stuck, related: stuck };
    const after = (/** @type {string} */ name) => runs[name].catch(() => {});
    runs.correct = measure({}, [...ladder, ...passed], env);
    runs.stuck = after('correct').then(() => measure(all, ['mix', '--rate', '200', '--duration', '2s', ...cold]));
    runs.wrong = measure(wrong, ['smoke', '--route', 'all', '--rate', '200', '--duration', '2s']);
    runs.stopped = after('wrong').then(() => measure({ product: stopsK6() }, mix('50', '2s')));
    runs.drawn = after('stopped').then(() => measure({}, mix('500', '2s')));
    alone = after('stuck').then(withoutRunner);
    return Promise.allSettled([...Object.values(runs), alone]);
  }, 120_000);

  test("holds for a correct service, and passes on k6's own outputs", async () => {
    const { status, run, output } = await runs.correct;
    expect({ status, reasons: run.reasons }).toEqual({ status: 0, reasons: [] });
    const [, whole, ...rest] = run.rows;
    const [batch, included] = rest.splice(-2);
    for (const each of [whole, batch, included]) expect(each.requests).toBeGreaterThan(0);
    const parts = rest;
    expect(parts.map(({ requests }) => requests)).toContain(0); // with so few requests, some route gets none
    expect(parts.reduce((sum, { requests }) => sum + requests, 0)).toBe(whole.requests);
    expect(output).toMatch(/█ THRESHOLDS[^]*█ TOTAL RESULTS[^]*# ladder: met/);
    expect(output).toMatch(/\| product-2 +\| met +\|/); // with too few requests for a p99
    expect(fs.readFileSync(samples, 'utf8')).toContain('"build":"42"');
    expect(fs.readFileSync(dashboard, 'utf8')).toContain('<html');
  });

  test('fails for a route that is slow, wrong, refused or not JSON', async () => {
    const { status, run } = await runs.wrong;
    expect(status).toBe(1);
    // A busy machine makes each route slower, which adds reasons.
    expect(run.reasons).toContainEqual(
      expect.stringMatching(/^products-200: http_req_duration p\(99\)<=500, but [\d.]+$/),
    );
    for (const route of ['product', 'styles', 'related'])
      expect(run.reasons).toContain(`${route}-200: errors rate==0, but 1`);
    const [list, , styles] = run.rows;
    expect(list.errors / list.requests).toBeGreaterThan(0.5); // five of six pages are not the first one
    expect(styles.rps).toBe(0);
  });

  test('shows the first failures of each step, with the ids that the log has', async () => {
    const { output } = await runs.wrong;
    const failure = (/** @type {string} */ route, /** @type {string} */ asked) =>
      new RegExp(
        `^- ${route}-200: route=${route} ${asked}=\\d+ check="body is correct" answer="200 OK" X-Request-Id=none$`,
        'm',
      );
    expect(output).toMatch(failure('product', 'id'));
    expect(output).toMatch(failure('products', 'page'));
    const answer = 'check="status is 200" answer="503 Service Unavailable" X-Request-Id=abc';
    expect(output).toMatch(new RegExp(`^- styles-200: route=styles id=\\d+ ${answer}$`, 'm'));
    for (const route of ['products', 'product', 'styles', 'related'])
      expect(output.match(new RegExp(`^- ${route}-200: route=`, 'gm'))?.length).toBeLessThanOrEqual(5);
  });

  test('fails if requests could not be sent in time', async () => {
    // 200 users that wait for two seconds each send 100 requests a second, not the 200 that are asked for.
    const { status, run } = await runs.stuck;
    expect(status).toBe(1);
    expect(run.reasons).toContainEqual(expect.stringMatching(/^mix-200: dropped_iterations count==0, but \d+$/));
  });

  test('reports how late k6 itself was, which none of its times include', async () => {
    const [mix, ...parts] = (await runs.stopped).run.rows.map(({ lateMs }) => lateMs);
    expect(mix).toBeGreaterThan(100);
    expect(parts).toEqual(Array(4).fill(undefined));
  });

  test('requests the mix of a storefront from the whole catalog, most from its end', async () => {
    const { asked: all, run } = await runs.drawn;
    expect(run.rows[0]).toMatchObject({ scenario: 'mix-500', errors: 0 });
    const asked = all.filter(({ place }) => place > 0);
    // Bounds: four standard deviations and more.
    const shareOf = (/** @type {string} */ name) => asked.filter(({ route }) => route === name).length / asked.length;
    expect(Math.abs(shareOf('product') - 4 / 7)).toBeLessThan(0.07);
    for (const route of ['products', 'styles', 'related']) expect(Math.abs(shareOf(route) - 1 / 7)).toBeLessThan(0.05);
    const ids = asked.filter(({ route }) => route !== 'products').map(({ place }) => place);
    const last = products.slice(-products.length / 10).map(({ id }) => id);
    const share = ids.filter((id) => last.includes(id)).length / ids.length;
    expect(share).toBeGreaterThan(0.13); // a tenth of the draws, and a tenth of the others: 0.19
    expect(share).toBeLessThan(0.25);
    expect(new Set(ids)).toEqual(new Set(products.map(({ id }) => id)));
    const pages = asked.filter(({ route }) => route === 'products').map(({ place }) => place);
    expect([...new Set(pages)].sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('works without the runner', async () => {
    const { ladder, basic, asked } = await alone;
    expect(ladder).toMatch(/http_reqs\{scenario:products-20\}\n +✓ 'count>=19' count=2\d/);
    const ofProducts = asked.filter(({ route, place }) => route === 'product' && place > 0);
    // Drawn from the file; other products are only requested to compare a list with them.
    expect(ofProducts.filter(({ place }) => [57, 59].includes(place)).length).toBeGreaterThanOrEqual(19);
    expect(basic).toMatch(/checks_succeeded\.*: 100\.00% 1?\d\d out of/);
  });

  test.each([
    ['gain', 50, 1, ['leaks count==0, but 2']],
    ['gain', 0, 0, []],
  ])(
    'a soak of workers that %s %d MB and descriptors a second ends with %d',
    async (_, gain, status, reasons) => {
      const began = Date.now();
      const grown = () => 100 + (gain * (Date.now() - began)) / 1000;
      const metrics = http.createServer((request, response) =>
        response.end(
          `process_start_time_seconds 1\nprocess_open_fds ${grown()}\nprocess_resident_memory_bytes ${grown()}e6\n`,
        ),
      );
      await new Promise((resolve) => void metrics.listen(0, '127.0.0.1', () => resolve(undefined)));
      const { port } = /** @type {import('node:net').AddressInfo} */ (metrics.address());
      const words = ['soak', '--rate', '5', '--duration', '9s', '--metrics', `http://127.0.0.1:${port}`, ...lenient];
      const ran = await measure({}, words);
      metrics.close();
      expect([ran.status, ran.run.reasons]).toEqual([status, reasons]);
      expect(ran.output).toMatch(/^- worker 1: memory \d+ → \d+ MB/m);
    },
    60_000,
  );

  test('a soak without the metrics of workers measures nothing', async () => {
    await expect(measure({}, ['soak', '--rate', '5'])).rejects.toThrow('name their metrics with --metrics');
  }, 60_000);

  test('ends with one line and no result if nothing answers', async () => {
    const nowhere = ['smoke', '--url', 'http://127.0.0.1:1', '--state', os.tmpdir()];
    const { status, output, folder } = await runK6(nowhere, { K6_BIN: k6 });
    expect({ status, folder }).toEqual({ status: 2, folder: '' });
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain('start the service');
  }, 60_000);
});
