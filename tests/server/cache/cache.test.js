'use strict';

const { TEXT_MAX_BYTES, toBytes } = require('../../../server/cache/body');
const { compressed } = require('../../../server/cache/compress');
const { Doorkeeper } = require('../../../server/cache/l1');
const { Entry } = require('../../../server/cache/entry');
const { L1 } = require('../../../server/cache/l1');
const { Lru } = require('../../../server/cache/l1');
const { SingleFlight } = require('../../../server/cache/tiers');
const { Tiers } = require('../../../server/cache/tiers');
const { createEvents } = require('../../../server/core/events');

const body = (/** @type {string} */ text) => Buffer.from(text);

/** @param {Partial<ConstructorParameters<typeof Tiers>[0]>} [parts] */
const tiersWith = (parts = {}) =>
  new Tiers({ l1: new L1(1e6), l2: null, admit: () => {}, events: createEvents(), ...parts });

describe('entries', () => {
  test('the same bytes have the same digest under every key, and other bytes another digest', () => {
    expect(new Entry('1/a', body('x')).digest).toBe(new Entry('2/a', body('x')).digest);
    expect(new Entry('1/a', body('x')).digest).not.toBe(new Entry('1/a', body('y')).digest);
  });

  test('a page whose Link changes is another representation', () => {
    const entry = new Entry('a', body('[]'), { annotation: '<?after=1>; rel="next"' });
    expect(entry.digest).not.toBe(new Entry('a', body('[]')).digest);
  });

  test.each([256, TEXT_MAX_BYTES, TEXT_MAX_BYTES + 1])(
    'a body of %d bytes is kept unchanged, without the buffer that it was a slice of',
    (length) => {
      const bytes = Buffer.alloc(65_536).subarray(9, 9 + length);
      bytes.set(Array.from({ length }, (_, index) => index % 256));
      const wanted = Buffer.from(bytes);
      const { body: kept } = new Entry('a', bytes);
      bytes.fill(0);
      expect(kept.length).toBe(length);
      expect(toBytes(kept).equals(wanted)).toBe(true);
    },
  );

  test.each([100, 100_000])('a body of %d bytes is compressed once', async (bytes) => {
    const entry = new Entry('a', Buffer.alloc(bytes, 'abc'));
    const grown = jest.fn();
    const first = compressed(entry, grown);
    const second = compressed(entry, grown);
    expect(await first).toBe(await second);
    expect(compressed(entry, grown)).toBe(await first);
    expect(grown).toHaveBeenCalledTimes(1);
  });
});

describe('L1', () => {
  test('stays below its maximum of bytes', () => {
    const lru = new Lru(200_000);
    for (let index = 0; index < 500; index += 1) lru.set(new Entry(`k${index}`, Buffer.alloc((index * 37) % 9000)));
    expect(lru.bytes).toBeLessThanOrEqual(200_000);
    expect(lru.count).toBeGreaterThan(10);
  });

  test('counts the compressed body too', () => {
    const lru = new Lru(1e6);
    const entry = new Entry('a', Buffer.alloc(5000));
    lru.set(entry);
    const before = lru.bytes;
    const bytes = /** @type {Buffer} */ (compressed(entry, () => lru.resize(entry)));
    expect(lru.bytes - before).toBe(bytes.length);
  });

  test('does not readmit an evicted entry that grows', () => {
    const lru = new Lru(1e6);
    const entry = new Entry('a', body('x'));
    lru.set(entry);
    lru.take('a');
    lru.resize(entry);
    expect(lru.count).toBe(0);
  });

  test('is not emptied by one long page', () => {
    const lru = new Lru(80_000);
    lru.set(new Entry('small', body('x')));
    lru.set(new Entry('long', Buffer.alloc(20_000)));
    expect(lru.get('long')).toBeUndefined();
    expect(lru.get('small')).toBeDefined();
  });

  test('admits a key at its second request, and forgets keys that were not requested for long', () => {
    const doorkeeper = new Doorkeeper();
    expect(doorkeeper.seenBefore('1/product/1')).toBe(false);
    expect(doorkeeper.seenBefore('1/product/1')).toBe(true);
    for (let id = 2; id < 500_000; id += 1) doorkeeper.seenBefore(`1/product/${id}`);
    expect(doorkeeper.seenBefore('1/product/1')).toBe(false);
  });
});

describe('single flight', () => {
  test('makes one load for a thousand simultaneous reads', async () => {
    const load = jest.fn(async () => ({ body: body('x') }));
    const tiers = tiersWith();
    const found = await Promise.all(Array.from({ length: 1000 }, () => tiers.read('k', load)));
    expect(load).toHaveBeenCalledTimes(1);
    expect(new Set(found).size).toBe(1);
  });

  test('returns a failure to every caller and does not cache it', async () => {
    const flights = new SingleFlight();
    const fail = async () => Promise.reject(new Error('away'));
    const both = [flights.start('k', fail), flights.joinable('k')];
    for (const flight of both) await expect(flight).rejects.toThrow('away');
    expect(flights.joinable('k')).toBeUndefined();
  });
});

describe('tiers', () => {
  test('keep what was requested once for requests a moment later', async () => {
    const tiers = tiersWith();
    const load = jest.fn(async () => ({ body: body('x') }));
    const entry = await tiers.read('k', load);
    for (let others = 0; others < 3; others += 1) expect(tiers.read('k', load)).toBe(entry);
    expect(load).toHaveBeenCalledTimes(1);
  });

  test('count hits of L1, and report when each fill starts', async () => {
    const l1 = new L1(1e6);
    const fills = /** @type {unknown[]} */ ([]);
    const follow = (/** @type {() => any} */ fill) => {
      fills.push(fill);
      return fill();
    };
    const tiers = tiersWith({ l1, follow });
    const load = async () => ({ body: body('four') });
    await Promise.all([tiers.read('k', load), tiers.read('k', load)]);
    expect([l1.reads, l1.readBytes, fills.length]).toEqual([0, 0, 1]);
    for (let reads = 0; reads < 3; reads += 1) tiers.read('k', load);
    expect([l1.reads, l1.readBytes, fills.length]).toEqual([3, 12, 1]);
  });

  test('keep what was requested twice while thousands of other keys pass', async () => {
    const l1 = new L1(1_000_000);
    const tiers = tiersWith({ l1 });
    const load = jest.fn(async () => ({ body: body('x') }));
    const pass = async (/** @type {string} */ keys) => {
      for (let index = 0; index < 1000; index += 1) await tiers.read(`${keys}${index}`, load);
    };
    const entry = await tiers.read('k', load);
    expect(tiers.read('k', load)).toBe(entry);
    await pass('a');
    expect(tiers.read('k', load)).toBe(entry);
    expect(l1.bytes).toBeLessThanOrEqual(1_000_000);
    await tiers.read('once', load);
    await pass('b');
    expect(tiers.read('once', load)).toBeInstanceOf(Promise);
  });

  test('keep few entries that were requested once', async () => {
    const l1 = new L1(24 * 1024 * 1024);
    const tiers = tiersWith({ l1 });
    for (let index = 0; index < 1000; index += 1) await tiers.read(`k${index}`, async () => ({ body: body('x') }));
    expect(l1.count).toBe(32);
  });

  test('admit an entry at its second load if it was not kept in between', async () => {
    const tiers = tiersWith({ l1: new L1(32_000) }); // too small to keep anything seen once
    const load = jest.fn(async () => ({ body: body('x') }));
    for (let reads = 0; reads < 4; reads += 1) await tiers.read('k', load);
    expect(load).toHaveBeenCalledTimes(2);
  });

  test('read L2 before they load, and fill it afterwards', async () => {
    const l2 = { get: jest.fn(async () => null), set: jest.fn() };
    await tiersWith({ l2 }).read('k', async () => ({ body: body('x') }));
    expect(l2.set).toHaveBeenCalledWith(expect.objectContaining({ key: 'k' }));
    const shared = new Entry('k', body('y'));
    const load = jest.fn();
    const filled = { get: async () => shared, set: jest.fn() };
    expect(await tiersWith({ l2: filled }).read('k', load)).toBe(shared);
    expect(load).not.toHaveBeenCalled();
  });

  test('remember in L1 that a product does not exist, but never in L2', async () => {
    const l2 = { get: jest.fn(async () => null), set: jest.fn() };
    const tiers = tiersWith({ l2 });
    const load = jest.fn(async () => null);
    expect(await tiers.read('k', load)).toBeNull();
    expect(tiers.read('k', load)).toBeNull();
    expect(load).toHaveBeenCalledTimes(1);
    expect(l2.set).not.toHaveBeenCalled();
  });

  test('do not cache a failed load', async () => {
    const tiers = tiersWith();
    await expect(tiers.read('k', async () => Promise.reject(new Error('away')))).rejects.toThrow();
    expect(await tiers.read('k', async () => ({ body: body('x') }))).toBeInstanceOf(Entry);
  });

  test('answer from L1 while the worker refuses misses', async () => {
    let late = false;
    const tiers = tiersWith({
      admit: () => {
        if (late) throw new Error('late');
      },
    });
    const load = async () => ({ body: body('x') });
    for (let round = 0; round < 2; round += 1) await tiers.read('hot', load);
    late = true;
    expect(tiers.read('hot', load)).toBeInstanceOf(Entry);
    await expect(tiers.read('cold', load)).rejects.toThrow('late');
  });
});
