'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Observed, Samples } = require('../../lab/testbed/loadgen/observed');
const { quantile } = require('../../../scripts/lib/quantile');
const { runOrThrow } = require('../../../scripts/lib/run');
const { interleave, median, parseWrk, rowOf } = require('../../lab/bench/measure');
const { rateOf } = require('../../lab/bench/mix');
const { startFront } = require('../../lab/bench/own-stack');
const { interrupt, register, stopAll } = require('../../lab/bench/running');
const { verdict } = require('../../lab/bench/targets');

const wrkOutput = (/** @type {string} */ trouble) => `
  Latency Distribution
     50%  812.00us
     99%    4.62ms
  50322 requests in 5.00s, 12.00MB read
${trouble}Requests/sec:  10064.40
`;

describe('measuring', () => {
  test('reads rate, p99 and every kind of error from wrk', () => {
    expect(parseWrk(wrkOutput(''))).toEqual({ rps: 10064.4, p99Ms: 4.62, errors: 0 });
    const trouble = '  Socket errors: connect 1, read 2, write 0, timeout 3\n  Non-2xx or 3xx responses: 4\n';
    expect(parseWrk(wrkOutput(trouble)).errors).toBe(10);
  });

  test('reports the median of several runs and the sum of their errors', () => {
    const runs = [
      { rps: 100, p99Ms: 9, errors: 0 },
      { rps: 300, p99Ms: 1, errors: 2 },
      { rps: 200, p99Ms: 2, errors: 1 },
    ];
    const row = { route: 'list', what: 'one worker', rps: 200, p99Ms: 2, errors: 3 };
    expect(rowOf('list', 'one worker', runs)).toEqual(row);
  });

  test('fails when wrk measured nothing', () => {
    expect(() => parseWrk('unable to connect')).toThrow('measured nothing');
  });

  test('measures servers in turn, and the median of even and odd counts', async () => {
    /** @type {string[]} */
    const order = [];
    const measurement = (/** @type {string} */ name) => async () => order.push(name);
    await interleave({ a: measurement('a'), b: measurement('b') }, 2, () => {});
    expect(order).toEqual(['a', 'b', 'a', 'b']);
    expect([median([9, 1, 5]), median([4, 1, 2, 9])]).toEqual([5, 3]);
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

  describe('the rate of mix', () => {
    /** @param {(asked: number, rate: number) => { p99Ms: number, errors: number }} answer to each run in turn */
    async function rateOfSide(answer) {
      let [asked, errors] = [0, 0];
      const send = async (/** @type {number} */ rate) => {
        const result = answer((asked += 1), rate);
        errors += result.errors;
        return { rps: rate, ...result };
      };
      const options = { rounds: 3, seconds: 1, say: () => {} };
      return { row: await rateOf('a', send, options), errors, asked };
    }
    const good = { p99Ms: 20, errors: 0 };
    const late = { ...good, p99Ms: 26 };

    test('has the errors of the rate that held, and survives one unlucky probe', async () => {
      const unlucky = { ...late, errors: 9 };
      const { row } = await rateOfSide((asked, rate) => (asked === 1 || rate > 4000 ? unlucky : good));
      expect(row).toMatchObject({ what: 'a', p99Ms: 20, errors: 0 });
      expect(row.rps).toBeGreaterThan(3700);
    });

    test('has all errors when no rate held', async () => {
      const { row, errors } = await rateOfSide(() => ({ ...good, errors: 3 }));
      expect(row).toMatchObject({ rps: 0, errors });
      expect(verdict({ what: 'errors', atMost: 0, is: errors })).toBe('missed');
    });

    test('retreats by a twentieth at first, and gives up soon where nothing holds for all rounds', async () => {
      /** Holds for one run, as the search needs; then up to a rate. @param {number} most */
      const holdsTo = (most) => {
        const probed = new Set();
        return (/** @type {number} */ _, /** @type {number} */ rate) => {
          if (rate <= most || (rate <= 4000 && !probed.has(rate))) return probed.add(rate) && good;
          return late;
        };
      };
      const { row } = await rateOfSide(holdsTo(3500));
      expect(row.rps).toBeLessThanOrEqual(3500);
      expect(row.rps).toBeGreaterThan(3500 * 0.95 - 1);
      const { row: none, asked } = await rateOfSide(holdsTo(0));
      expect(none.rps).toBe(0);
      expect(asked).toBeLessThan(40);
    });

    test('has unknown errors, not 0, when no rate was answered in time', async () => {
      for (const lucky of [0, 1]) {
        const { row } = await rateOfSide((asked) => (asked <= lucky ? good : late));
        expect(row).toMatchObject({ rps: 0, errors: NaN });
      }
    });
  });

  test('a failed tool is reported with its status and its output', async () => {
    const tool = (/** @type {string} */ script) => [process.execPath, '-e', script];
    const failing = tool('console.log(process.env.WHY); process.exitCode = 3');
    await expect(runOrThrow(failing, { WHY: 'no such file' })).rejects.toThrow(/ended with status 3:\nno such file\n$/);
    expect(await runOrThrow(tool('console.log(1)'))).toBe('1\n');
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
});

test('the end of a part removes nginx and its cache in memory', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-nginx-'));
  await startFront({ dir }, [{ port: 1, pid: 0, stop: async () => {}, kill: async () => {} }]);
  const config = fs.readFileSync(path.join(dir, 'nginx-front/nginx.conf'), 'utf8');
  const [, cache] = /^\s*proxy_cache_path "([^"]+)"/m.exec(config) ?? [];
  expect(fs.existsSync(String(cache))).toBe(true);
  await stopAll();
  if (cache?.startsWith('/dev/shm')) expect(fs.existsSync(cache)).toBe(false);
  fs.rmSync(dir, { recursive: true });
});
