'use strict';

const { EventEmitter } = require('node:events');
const { setImmediate: turn } = require('node:timers/promises');

const { Feed } = require('../../../server/writer/feed/feed');
const { Stream } = require('../../../server/writer/feed/stream');
const { until } = require('../../helpers/app');
const { follow, readChanges, serveFeed } = require('../../helpers/changes');
const { idOf } = require('../../helpers/database');
const { request } = require('../../helpers/http');
const { callerOf, prepareWrites, startWriter } = require('../../helpers/writer');

const { served, feed, read, head, rename } = serveFeed();
const restock = (/** @type {number} */ count) =>
  served.catalog.client.query(
    `SELECT catalog_log.append('stock', 1, restocked => ARRAY(SELECT generate_series(1, ${count})))`,
  );

/** @param {string} after @param {string} [url] @param {string} [own] a key @returns {Promise<{ response: Response, text: string, ended: Promise<void> }>} */
async function open(after, url = served.app.url, own = feed.key) {
  const response = await fetch(`${url}/changes/stream?after=${after}`, { headers: { Authorization: `Bearer ${own}` } });
  const opened = { response, text: '', ended: Promise.resolve() };
  opened.ended = (async () => {
    for await (const chunk of /** @type {any} */ (response.body).pipeThrough(new TextDecoderStream()))
      opened.text += chunk;
  })();
  return opened;
}

describe('a stream of changes', () => {
  test('has what pages have, for each reader in the same order, and names its place first', async () => {
    const before = await head();
    const readers = Array.from({ length: 20 }, () => follow(() => served.app.url, feed.key, before));
    await until(() => readers.every(({ seen }) => seen.connections === 1));
    await Promise.all([1, 2, 3, 4, 5].map((index) => rename(index, 'all see it')));
    await restock(2500);
    await rename(6, 'the last one');
    const { changes } = await readChanges(read, before);
    await until(() => readers.every((reader) => reader.changes.length >= changes.length));
    expect(changes.length).toBe(2506);
    for (const reader of readers) expect(reader.changes).toEqual(changes);
    await Promise.all(readers.map(({ stop }) => stop()));

    const resumed = follow(() => served.app.url, feed.key, changes[2000].cursor);
    await until(() => resumed.changes.length >= 505);
    expect(resumed.changes).toEqual(changes.slice(2001));
    await resumed.stop();
  });

  test('is not kept by proxies, and has the same headers for HEAD', async () => {
    const { response } = await open('head');
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      ...{ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    });
    const asked = { method: 'HEAD', headers: { Authorization: `Bearer ${feed.key}` } };
    const { status, headers: own } = await request(`${served.app.url}/changes/stream?after=head`, asked);
    expect([status, own['content-type'], own['x-accel-buffering']]).toEqual([200, headers['content-type'], 'no']);
  });

  test('outlives a database that is away for a moment', async () => {
    const before = await head();
    const opened = await open(before);
    await until(() => opened.text.endsWith('\n\n'));
    expect(opened.text).toBe(`:\nid: ${before}\n\n`);
    await served.catalog.client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'catalog_writer' AND datname = current_database()",
    );
    await until(async () => (await rename(7, 'after the loss')).status === 200);
    await until(() => opened.text.includes(`"product":${idOf(7)}`));
    expect(opened.text.match(/^id: /gm)?.length).toBe(2);
  });

  test('ends when its key is revoked', async () => {
    const own = await prepareWrites(served.catalog, { name: 'leaver', scopes: ['changes'] });
    const opened = await open('head', served.app.url, own);
    await served.catalog.client.query("UPDATE catalog_meta.api_keys SET revoked_at = now() WHERE name = 'leaver'");
    await opened.ended;
    expect((await fetch(`${served.app.url}/changes`, { headers: { Authorization: `Bearer ${own}` } })).status).toBe(
      401,
    );
  });

  test('ends when its writer stops', async () => {
    const other = await startWriter(served.catalog.writerDsn, { DRAIN_GRACE_MS: 2000 });
    const opened = await open('head', other.url);
    const closed = other.close();
    await opened.ended; // before the grace is over
    const refused = await callerOf(other.url, feed.key)('GET', '/changes?after=head', undefined, { Prefer: 'wait=9' });
    expect([refused.status, refused.body.detail]).toEqual([503, 'This writer is stopping. Retry after 1 s.']);
    await closed;
  });

  test('ends with its era, and what follows is refused', async () => {
    const before = await head();
    const opened = await open(before);
    await until(() => opened.text !== '');
    await served.catalog.client.query('SELECT catalog_log.begin_era()');
    await opened.ended;
    const { status, body } = await read('GET', `/changes/stream?after=${before}`);
    expect([status, body.type]).toEqual([410, 'urn:catalog:problem:cursor-forked']);
    expect(Number((await head()).split('.')[0])).toBeGreaterThan(200_000_000);
  });
});

describe('many readers', () => {
  /** A feed over a log of single changes, which counts its queries. */
  function play() {
    const log = { seq: 5, queries: /** @type {string[]} */ ([]) };
    const feed = new Feed(async ({ name }, values = []) => {
      log.queries.push(name);
      if (name === 'log_head') return [{ era: 1, seq: String(log.seq) }];
      const [first, , , last] = /** @type {number[]} */ (values);
      return Array.from({ length: last - first + 1 }, (_, index) => ({
        ...{ seq: String(first + index), at: 'now', kind: 'stock', load_id: 1, is_whole: false },
        ...{ created: 0, updated: 0, deleted: 0, first: 0, ids: String(first + index), is_cut: false },
      }));
    });
    return { log, feed };
  }

  /** @param {(text: string) => boolean} write @returns {any} */
  const response = (write) => Object.assign(new EventEmitter(), { write, end() {}, setTimeout() {} });

  test('cost one query while nothing happens, and two for a commit', async () => {
    const { log, feed } = play();
    const head = await feed.head();
    const texts = Array.from({ length: 100 }, () => '');
    const streams = texts.map((_, index) => {
      const res = response((text) => Boolean((texts[index] += text)));
      const parts = { feed, head, place: { ...head, index: null }, isAllowed: async () => true };
      return new Stream(res, parts).run();
    });
    await until(() => texts.every(Boolean));
    await turn();
    log.queries.length = 0;
    await feed.look();
    await feed.look();
    expect(log.queries).toEqual(['log_head', 'log_head']);
    log.seq += 1;
    await feed.look();
    await until(() => texts.every((text) => text.includes('id: 1.6.0\n')));
    expect(log.queries.slice(2)).toEqual(['log_head', '']);
    feed.close();
    await Promise.all(streams);
  });

  test('are bounded', async () => {
    const { feed } = play();
    const { promise, resolve } = Promise.withResolvers();
    const held = Array.from({ length: 1000 }, () => feed.hold(() => promise));
    expect(() => feed.admit()).toThrow('1000 readers are waiting');
    resolve(undefined);
    await Promise.all(held);
    expect([feed.readers, feed.admit()]).toEqual([0, undefined]);
  });

  test('that are slow hold one piece each', async () => {
    const { log, feed } = play();
    const head = await feed.head();
    log.seq = 3500;
    const written = /** @type {string[]} */ ([]);
    const res = response((text) => (written.push(String(text)), false));
    const place = { era: 1, seq: 5, index: null };
    const ended = new Stream(res, { feed, head: { era: 1, seq: 3500 }, place, isAllowed: async () => true }).run();
    expect(written).toEqual([':\nid: 1.5\n\n']);
    res.emit('drain');
    await until(() => written.length === 2);
    await turn();
    expect([written.length, log.queries.filter((name) => name === '').length, head.seq]).toEqual([2, 1, 5]);
    res.emit('close');
    await ended;
  });
});
