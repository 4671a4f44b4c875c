'use strict';

const { createEvents } = require('../../../server/core/events');
const { DataVersion } = require('../../../server/store/servers/data-version');
const { until } = require('../../helpers/app');

/** @typedef {import('../../../server/store/servers/watcher').Status} Status */

/** @param {number} seq @param {Partial<Status>} [more] */
const status = (seq, more) => ({
  token: '1-100',
  era: 1,
  seq,
  listedSeq: seq,
  countedSeq: 0,
  isWritten: seq > 0,
  recovering: false,
  timeline: 1,
  lagMs: 0,
  tuning: 0,
  declared: null,
  ...more,
});

/** A worker's position on a server that is played: its log has all commits from `first` on, each of the product of its number. */
function play() {
  const server = {
    first: 1,
    /** The last commit of each product that the server has stored. */
    stored: 0,
    token: '1-100',
    /** @type {string[]} what was read */
    reads: [],
    pieceOf: 100,
    fails: false,
    /** @type {Promise<void>} */
    held: Promise.resolve(),
  };
  /** @type {import('../../../server/store/servers/watcher').Log} */
  const log = {
    async commits(after, upTo) {
      server.reads.push(`commits ${after}-${upTo}`);
      await server.held;
      if (server.fails) throw new Error('away');
      const from = Math.max(after + 1, server.first);
      const count = Math.min(upTo + 1 - from, server.pieceOf);
      return Array.from({ length: count }, (_, index) => ({
        seq: from + index,
        content: [from + index],
        restocked: [],
      }));
    },
    async slots({ token, seq }) {
      server.reads.push(`slots ${seq}`);
      await server.held;
      if (server.fails) throw new Error('away');
      if (token !== server.token) return null;
      const slots = Array.from({ length: Math.min(seq, server.stored) }, (_, index) => index + 1);
      return { slots, productSeqs: slots, stylesSeqs: slots };
    },
  };
  const watcher = /** @type {any} */ ({ status: null, known: null, empty: false, outdated: false, log });
  const events = createEvents();
  /** @type {Record<string, any[]>} */
  const told = { versionChanged: [], commitsApplied: [], versionUnread: [] };
  for (const name of Object.keys(told))
    events.on(/** @type {any} */ (name), (/** @type {any} */ first) => void told[name].push(first));
  const version = new DataVersion(events, [watcher]);
  return {
    server,
    told,
    version,
    /** @param {Status | null} word */
    tell(word) {
      Object.assign(watcher, { status: word, known: word ?? watcher.known });
      watcher.changed();
    },
    /** @param {number} seq */
    reaches: (seq) => until(() => version.position.reached?.seq === seq),
    seqs: (/** @type {number[]} */ ...ids) => ids.map((id) => version.position.seqOf('product', id)),
  };
}

describe('the position of a worker', () => {
  test('is read from what the server has stored, then commit by commit', async () => {
    const { server, told, version, tell, reaches, seqs } = play();
    server.stored = 10;
    tell(status(10));
    expect([version.current, version.live]).toEqual([null, false]);
    await reaches(10);
    expect([version.current, version.live, version.position.cursor]).toEqual(['1-100', true, '1.10']);
    tell(status(13));
    await reaches(13);
    tell(status(13));
    expect(server.reads).toEqual(['slots 10', 'commits 10-13']);
    expect(seqs(9, 13, 14)).toEqual([9, 13, 0]);
    expect([told.versionChanged, told.commitsApplied]).toEqual([['1-100'], [3]]);
  });

  test('takes an empty log at once', () => {
    const { server, version, tell } = play();
    tell(status(0));
    expect([version.current, version.lists.stamp, server.reads]).toEqual(['1-100', '1-100.0', []]);
  });

  test('moves in pieces, and not before the last of them', async () => {
    const { server, version, tell, reaches } = play();
    tell(status(0));
    server.pieceOf = 4;
    tell(status(10));
    tell(status(11));
    await reaches(11);
    expect(server.reads).toEqual(['commits 0-10', 'commits 4-11', 'commits 8-11']);
    expect(version.position.seqOf('styles', 11)).toBe(11);
  });

  test.each([
    ['is far behind', 5000, 1],
    ['finds commits deleted', 30, 20],
  ])('is read anew when it %s', async (_, seq, first) => {
    const { server, tell, reaches, seqs } = play();
    tell(status(0));
    Object.assign(server, { first, stored: seq });
    tell(status(seq));
    await reaches(seq);
    expect(server.reads.at(-1)).toBe(`slots ${seq}`);
    expect(seqs(3, seq)).toEqual([3, seq]);
  });

  test('is read anew with another version, whose log may lack commits that were counted', async () => {
    const { server, told, tell, reaches, seqs } = play();
    server.stored = 10;
    tell(status(10));
    await reaches(10);
    Object.assign(server, { stored: 6, token: '2-200' });
    tell(status(8, { token: '2-200' }));
    await reaches(8);
    expect(seqs(6, 7)).toEqual([6, 0]);
    expect(told.versionChanged).toEqual(['1-100', '2-200']);
  });

  test('goes back with the log of a server that replaces another one', async () => {
    const { server, tell, reaches, seqs } = play();
    server.stored = 10;
    tell(status(10));
    await reaches(10);
    tell(status(7));
    await reaches(7);
    expect(seqs(7, 8)).toEqual([7, 0]);
  });

  test('does not take what was stored for another version than its status has', async () => {
    const { server, version, tell, reaches } = play();
    Object.assign(server, { stored: 10, token: '2-200' });
    tell(status(10));
    await until(() => server.reads.length === 1);
    await server.held;
    expect(version.current).toBeNull();
    tell(status(11, { token: '2-200' }));
    await reaches(11);
    expect(version.current).toBe('2-200');
  });

  test('stays when the log cannot be read, which is reported, and its age grows', async () => {
    const { server, told, version, tell, reaches } = play();
    tell(status(0));
    server.fails = true;
    tell(status(3));
    await until(() => told.versionUnread.length === 1);
    const { ageMs } = version.position;
    await until(() => version.position.ageMs > ageMs);
    expect([version.position.cursor, version.live]).toEqual(['1.0', true]);
    server.fails = false;
    tell(status(3));
    await reaches(3);
    expect(version.position.ageMs).toBeLessThan(60_000);
  });
});

describe('the number of lists', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => void jest.useRealTimers());
  const settle = () => new Promise((resolve) => void setImmediate(resolve));

  test('moves at once after a pause, then once a second, and at once with a load', async () => {
    const { version, tell } = play();
    tell(status(0));
    await jest.advanceTimersByTimeAsync(1000);
    const stamps = [];
    for (const seq of [1, 2, 3]) {
      tell(status(seq, { countedSeq: 1 }));
      await settle();
      stamps.push(version.lists.stamp);
    }
    await jest.advanceTimersByTimeAsync(999);
    stamps.push(version.lists.stamp);
    await jest.advanceTimersByTimeAsync(1);
    stamps.push(version.lists.stamp, version.lists.counts);
    expect(stamps).toEqual(['1-100.1', '1-100.1', '1-100.1', '1-100.1', '1-100.3', '1-100.1']);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('stays when stock changes that no list shows', async () => {
    const { version, tell } = play();
    tell(status(4, { listedSeq: 2 }));
    await settle();
    await jest.advanceTimersByTimeAsync(5000);
    tell(status(9, { listedSeq: 2 }));
    await settle();
    expect([version.position.cursor, version.lists.stamp]).toEqual(['1.9', '1-100.2']);
  });

  test('is that of the load alone for a worker that has the version from Redis', () => {
    const { version } = play();
    version.suggest('3-300');
    expect([version.current, version.lists.stamp, version.live]).toEqual(['3-300', '3-300.0', false]);
  });
});
