'use strict';

const { authority, inOrder, mayAnswer, suspectIfLate } = require('../../../server/store/servers/server-choice');
const { loadConfig } = require('../../../server/config/config');
const { createEvents } = require('../../../server/core/events');
const { DataVersion } = require('../../../server/store/servers/data-version');
const { hedged } = require('../../../server/store/servers/replicated');
const { ReplicatedDatabase } = require('../../../server/store/servers/replicated');

/** @param {Partial<import('../../../server/store/servers/watcher').Status>} [more] */
const status = (more) => ({
  token: '2-200',
  era: 1,
  seq: 0,
  listedSeq: 0,
  countedSeq: 0,
  isWritten: false,
  recovering: true,
  timeline: 0,
  lagMs: 0,
  tuning: 0,
  declared: null,
  ...more,
});
const primary = status({ recovering: false, timeline: 1 });

describe('the data version is that of', () => {
  test('the server that takes writes, even when its replica seems newer', () => {
    const ahead = status({ token: '3-300' });
    expect(authority([ahead, primary])).toBe(primary);
  });

  test('the one promoted last, when an old primary comes back', () => {
    const promoted = status({ recovering: false, timeline: 2, token: '2-150' });
    expect(authority([promoted, primary])).toBe(promoted);
  });

  test('the freshest replica, when no server takes writes', () => {
    const behind = status({ token: '1-100' });
    const fresh = status();
    expect(authority([null, behind, fresh])).toBe(fresh);
  });

  test('the replica that has the later commit, of two that have the same version', () => {
    const behind = status({ seq: 6 });
    const fresh = status({ seq: 7 });
    expect(authority([behind, fresh])).toBe(fresh);
  });

  test('a replica of the last era, before one of another fork that seems newer', () => {
    const forked = status({ token: '9-900', seq: 50 });
    const fresh = status({ era: 2 });
    expect(authority([forked, fresh])).toBe(fresh);
  });

  test('no server, when all are down', () => {
    expect(authority([null, null])).toBeNull();
  });

  /** Two servers with the statuses that a test gives them. */
  function play(events = createEvents()) {
    const server = (/** @type {'replica' | 'primary'} */ name) => {
      const watcher = /** @type {any} */ ({ status: null, known: null });
      const tell = (/** @type {any} */ word, known = word) => {
        Object.assign(watcher, { status: word, known });
        watcher.changed();
      };
      const database = /** @type {any} */ ({ ready: true, document: async () => `row of the ${name}` });
      return { name, database, tell, watcher, suspectUntilMs: 0 };
    };
    const servers = { replica: server('replica'), primary: server('primary') };
    const config = loadConfig({ DATABASE_URL: 'postgres://x@/x' });
    const both = [servers.replica, servers.primary];
    const version = new DataVersion(
      events,
      both.map(({ watcher }) => watcher),
    );
    return { version, read: new ReplicatedDatabase({ config, events, servers: both, version }), servers };
  }

  test('the primary during a short silence, although the replica has an older one', async () => {
    const { version, read, servers } = play();
    servers.primary.tell(primary);
    servers.replica.tell(status({ token: '1-100' }));
    servers.primary.tell(null, primary);
    expect(version.current).toBe('2-200');
    await expect(read.document('product', 1, '2-200')).resolves.toBe('row of the primary');
    servers.primary.tell(null);
    expect(version.current).toBe('1-100');
  });

  test('the one promoted last, also during a short silence', async () => {
    const { version, read, servers } = play();
    const promoted = status({ recovering: false, timeline: 2, token: '1-100' });
    servers.replica.tell(promoted);
    servers.primary.tell(primary); // with a later load, which never reached its replica
    servers.replica.tell(null, promoted);
    expect(version.current).toBe('1-100');
    servers.replica.database.ready = false;
    await expect(read.document('product', 1, '1-100')).rejects.toThrow('The database cannot be reached.');
  });

  test('the same wherever reads go, and each move of reads is reported once', async () => {
    const events = createEvents();
    const moves = /** @type {string[]} */ ([]);
    events.on('readsMoved', (name) => moves.push(name));
    const { version, read, servers } = play(events);
    servers.primary.tell(primary);
    for (const word of [null, null, status(), status()]) {
      servers.replica.tell(word);
      await read.document('product', 1, '2-200');
    }
    expect([moves, version.current]).toEqual([['primary', 'replica'], '2-200']);
  });

  test('the replica at once, when it has a later one than a silent primary', () => {
    const { version, servers } = play();
    servers.primary.tell(primary);
    servers.replica.tell(status());
    servers.primary.tell(null, primary);
    servers.replica.tell(status({ token: '3-300' }));
    expect(version.current).toBe('3-300');
  });
});

describe('a server may answer for a version', () => {
  /** @param {string | null} token @param {boolean} [ready] @param {number} [seq] of its last commit */
  const server = (token, ready = true, seq = 0) => ({
    database: { ready },
    watcher: { known: token ? status({ token, seq }) : null },
  });

  test.each([
    ['the same', '2-200', true],
    ['a later one', '3-300', true],
    ['an older one', '1-100', false],
    ['a higher number of an older database', '9-100', false],
    ['nothing known', null, false],
  ])('when it has that version: %s', (_, token, expected) => {
    expect(mayAnswer(server(token), '2-200', { timeline: 1, era: 1 })).toBe(expected);
  });

  test.each([
    ['the same', '2-200', 7, '2-200.7', true],
    ['a later one', '2-200', 8, '2-200.7', true],
    ['an earlier one', '2-200', 6, '2-200.7', false],
    ['an earlier one of a later load', '3-300', 6, '2-200.7', false],
    ['a later one of an older load', '1-100', 99, '2-200.7', false],
  ])('when it has that commit: %s', (_, token, seq, stamp, expected) => {
    expect(mayAnswer(server(token, true, seq), stamp, { timeline: 1, era: 1 })).toBe(expected);
  });

  test('unless it is of another fork, whatever its clock', () => {
    const of = (/** @type {object} */ more) => ({
      database: { ready: true },
      watcher: { known: status({ token: '9-900', ...more }) },
    });
    const authorityIs = { timeline: 2, era: 7 };
    expect(mayAnswer(of({ recovering: false, timeline: 1, era: 7 }), '2-200', authorityIs)).toBe(false);
    expect(mayAnswer(of({ era: 6 }), '2-200', authorityIs)).toBe(false);
    expect(mayAnswer(of({ era: 7 }), '2-200', authorityIs)).toBe(true);
  });

  test('only while it is connected', () => {
    expect(mayAnswer(server('2-200', false), '2-200', { timeline: 1, era: 1 })).toBe(false);
  });
});

test('a server that lags or was silent is queried last, but is queried', () => {
  const server = (/** @type {string} */ name, lagMs = 0, suspectUntilMs = 0) => ({
    name,
    watcher: { status: status({ lagMs }) },
    suspectUntilMs,
  });
  const names = (/** @type {ReturnType<typeof server>[]} */ ...servers) =>
    inOrder(servers, 1000, 50).map(({ name }) => name);
  expect(names(server('replica'), server('primary'))).toEqual(['replica', 'primary']);
  expect(names(server('replica', 1001), server('primary'))).toEqual(['primary', 'replica']);
  expect(names(server('replica', 0, 51), server('primary'))).toEqual(['primary', 'replica']);
  const silent = { ...server('replica'), watcher: { status: null } };
  expect(inOrder([silent, server('primary')], 1000, 50).map(({ name }) => name)).toEqual(['primary', 'replica']);
});

describe('a hedged read', () => {
  const never = () => new Promise(() => {});
  const no = (/** @type {string} */ why) => () => Promise.reject(new Error(why));
  const options = { delayMs: 1, mayAskNext: () => true, retryWithinMs: 60_000 };

  test('queries the second server only if needed', async () => {
    const second = jest.fn(async () => 'second');
    const slow = () => new Promise((resolve) => void setTimeout(resolve, 20, 'first'));
    const mayAskNext = jest.fn(() => false);
    await expect(hedged([slow, second], { ...options, mayAskNext })).resolves.toBe('first');
    expect(second).not.toHaveBeenCalled();
    expect(mayAskNext).toHaveBeenCalled();
  });

  test('is answered by the second server once the first is late, however long that takes', async () => {
    let looks = 0;
    const mayAskNext = () => (looks += 1) === 3;
    const second = jest.fn(async () => 'second');
    await expect(hedged([never, second], { ...options, mayAskNext })).resolves.toBe('second');
    expect([looks, second.mock.calls.length]).toEqual([3, 1]);
  });

  test('is answered by the second server when the first fails', async () => {
    await expect(hedged([no('first'), async () => 'second'], options)).resolves.toBe('second');
  });

  test('fails when both fail, with the reason of the first', async () => {
    await expect(hedged([no('first'), no('second')], options)).rejects.toThrow('first');
  });

  test('fails with the reason of the first server when that took its whole timeout', async () => {
    const second = jest.fn(never);
    const timedOut = { ...options, delayMs: 60_000, retryWithinMs: 0 };
    await expect(hedged([no('first'), second], timedOut)).rejects.toThrow('first');
    expect(second).not.toHaveBeenCalled();
  });

  test('queries a third server when the second is late or fails, and fails when all do', async () => {
    const third = async () => 'third';
    await expect(hedged([never, never, third], options)).resolves.toBe('third');
    await expect(hedged([no('first'), no('second'), third], options)).resolves.toBe('third');
    await expect(hedged([never, no('second'), third], options)).resolves.toBe('third');
    await expect(hedged([no('first'), no('second'), no('third')], options)).rejects.toThrow('first');
  });

  test('queries one more server at each silence, not all', async () => {
    const late = /** @type {number[]} */ ([]);
    const third = jest.fn(async () => 'third');
    const mayAskNext = (/** @type {number} */ index) => late.push(index) > 0 && index === 0;
    const slow = () => new Promise((resolve) => void setTimeout(resolve, 20, 'second'));
    await expect(hedged([never, slow, third], { ...options, mayAskNext })).resolves.toBe('second');
    expect(late).toEqual(expect.arrayContaining([0, 1]));
    expect(third).not.toHaveBeenCalled();
  });

  test('stops its timer once it is answered or both servers are queried', async () => {
    jest.useFakeTimers();
    await hedged([async () => 'first', never], options);
    await jest.advanceTimersByTimeAsync(0);
    expect(jest.getTimerCount()).toBe(0);
    void hedged([never, never], options);
    await jest.advanceTimersByTimeAsync(options.delayMs);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
});

test('a silent server is late with a long page only when its watcher has lost it', () => {
  const server = { watcher: { status: /** @type {any} */ (primary) }, suspectUntilMs: 0 };
  expect([suspectIfLate(server, true, 50), server.suspectUntilMs]).toEqual([false, 0]);
  expect(suspectIfLate(server, false, 50)).toBe(true);
  expect(server.suspectUntilMs).toBeGreaterThan(50);
  expect(suspectIfLate({ ...server, watcher: { status: null } }, true, 50)).toBe(true);
});

test('a long page moves to the other server when the first is lost, not when it timed out', async () => {
  const events = createEvents();
  const config = loadConfig({ DATABASE_URL: 'postgres://x@/x', REPLICA_HEDGE_MS: '1' });
  const asked = /** @type {string[]} */ ([]);
  const [replica, other] = /** @type {const} */ (['replica', 'primary']).map((name) => {
    const pageAfter = () => {
      asked.push(name);
      return name === 'replica' ? new Promise(() => {}) : Promise.resolve('page of the primary');
    };
    const watcher = /** @type {any} */ ({ status: status(), known: status() });
    return { name, database: /** @type {any} */ ({ ready: true, pageAfter }), watcher, suspectUntilMs: 0 };
  });
  const read = new ReplicatedDatabase({ config, events, servers: [replica, other], version: { timeline: 0, era: 0 } });
  const page = read.pageAfter(1, 20_000, '', '2-200');
  await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(asked).toEqual(['replica']);
  replica.watcher.status = null;
  expect(await page).toBe('page of the primary');
});
