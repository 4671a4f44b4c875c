'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Observed, Samples } = require('../../lab/testbed/loadgen/observed');
const { quantile } = require('../../../scripts/lib/quantile');
const { interleave, median, parseWrk, rowOf } = require('../../lab/bench/measure');
const { interrupt, register, stopAll } = require('../../lab/bench/running');
const { pathsByRate } = require('../../lab/bench/search');
const { startFront } = require('../../lab/bench/own-servers');

const wrkOutput = (/** @type {string} */ trouble) => `
  Latency Distribution
     50%  812.00us
     99%    4.62ms
  50322 requests in 5.00s, 12.00MB read
${trouble}Requests/sec:  10064.40
`;

test('reads rate, p99 and every kind of error from wrk, and fails when it measured nothing', () => {
  expect(parseWrk(wrkOutput(''))).toEqual({ rps: 10064.4, p99Ms: 4.62, errors: 0 });
  const trouble = '  Socket errors: connect 1, read 2, write 0, timeout 3\n  Non-2xx or 3xx responses: 4\n';
  expect(parseWrk(wrkOutput(trouble)).errors).toBe(10);
  expect(() => parseWrk('unable to connect')).toThrow('measured nothing');
});

test('reports the median of several runs and the sum of their errors', () => {
  const runs = [
    { rps: 100, p99Ms: 9, errors: 0 },
    { rps: 300, p99Ms: 1, errors: 2 },
    { rps: 200, p99Ms: 2, errors: 1 },
  ];
  const row = { route: 'list', what: 'one worker', rps: 200, p99Ms: 2, errors: 3 };
  expect(rowOf('list', 'one worker', runs)).toEqual(row);
  expect([median([9, 1, 5]), median([4, 1, 2, 9])]).toEqual([5, 3]);
});

test('measures servers in turn', async () => {
  /** @type {string[]} */
  const order = [];
  const measurement = (/** @type {string} */ name) => async () => order.push(name);
  await interleave({ a: measurement('a'), b: measurement('b') }, 2, () => {});
  expect(order).toEqual(['a', 'b', 'a', 'b']);
});

test('every traffic generator reports a measured value as p99, and the same one', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  const shares = [0.01, 0.5, 0.99, 1];
  expect(shares.map((share) => quantile(hundred, share))).toEqual([1, 50, 99, 100]);
  expect(shares.map((share) => quantile([7], share))).toEqual([7, 7, 7, 7]);
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2);
  expect(quantile([], 0.99)).toBeNaN();

  const samples = new Samples();
  for (const ms of hundred) samples.add(1000, ms, 200, 0, 0);
  expect(new Observed(samples.take()).all()).toMatchObject({ p99Ms: 99 });
  expect(new Observed(new Samples().take()).all()).toMatchObject({ p99Ms: 0 });
});

test('search requests each query once more for every number of values, and pages with products', () => {
  const ids = Array.from({ length: 3000 }, (_, index) => index + 1);
  const searches = ['/search?q=a&facets=category,price,size,on_sale,in_stock,feature', '/search?q=b'];
  const paths = pathsByRate(ids, searches);
  expect(new Set(paths['searches once']).size).toBe(100);
  expect(paths['hot searches'][0]).toBe('/search?q=a&facets=category&count=5');
  expect(paths['deep pages'][0]).toMatch(/&page=30$/);
  const [batch] = paths.batches;
  expect(new Set(batch.match(/\d+/g)).size).toBe(500);
});

test('the end of a part removes nginx and its cache in memory', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-nginx-'));
  await startFront({ dir }, [{ port: 1 }]);
  const config = fs.readFileSync(path.join(dir, 'nginx-front/nginx.conf'), 'utf8');
  const [, cache] = /^\s*proxy_cache_path "([^"]+)"/m.exec(config) ?? [];
  expect(fs.existsSync(String(cache))).toBe(true);
  await stopAll();
  if (cache?.startsWith('/dev/shm')) expect(fs.existsSync(cache)).toBe(false);
  fs.rmSync(dir, { recursive: true });
});

test('stops the servers of a part once, newest first, also after one cannot be stopped', async () => {
  /** @type {string[]} */
  const stopped = [];
  register(async () => void stopped.push('first'));
  const stop = register(async () => void stopped.push('second'));
  register(async () => {
    throw new Error('it does not end');
  });
  const said = jest.spyOn(console, 'error').mockImplementation(() => {});
  await stop();
  await stopAll();
  await interrupt();
  expect(stopped).toEqual(['second', 'first']);
  expect(said).toHaveBeenCalledTimes(1);
  said.mockRestore();
});
