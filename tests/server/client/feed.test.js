'use strict';

const { requireModule } = require('../../helpers/client');
const { readChanges, serveFeed } = require('../../helpers/changes');
const { idOf } = require('../../helpers/database');

/** @typedef {import('../../../server/client/write/catalog-writer.js').Change} Change */

/** @type {typeof import('../../../server/client/write/catalog-writer.js')} */
const { createWriter } = requireModule('../../server/client/write/catalog-writer.js');
const { served, feed, read, head, rename } = serveFeed();

/** @param {Partial<import('../../../server/client/write/catalog-writer.js').WriterOptions>} [options] */
const open = (options) => createWriter({ url: served.app.url, key: feed.key, ...options });

/** @param {AsyncGenerator<Change, never, void>} changes @param {number} count @returns {Promise<Change[]>} the first of them */
async function take(changes, count) {
  const found = [];
  for await (const change of changes) if (found.push(change) === count) break;
  return found;
}

/** Cuts each reply at a piece of it, so that no change arrives whole twice. @param {number} bytes */
function cutting(bytes) {
  /** @type {(string | undefined)[]} */
  const resumedAt = [];
  /** @type {any} */
  const send = async (/** @type {string} */ url, /** @type {any} */ init) => {
    const response = await fetch(url, init);
    if (init.headers.accept !== 'text/event-stream') return response;
    resumedAt.push(init.headers['last-event-id']);
    let left = bytes;
    const cut = new TransformStream({
      transform(chunk, controller) {
        controller.enqueue(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) controller.error(new TypeError('terminated'));
      },
    });
    return new Response(/** @type {ReadableStream} */ (response.body).pipeThrough(cut), response);
  };
  return { resumedAt, fetch: send };
}

test('a page has changes, waits for some, and names the place behind them', async () => {
  const before = await head();
  const waiting = open().listChanges({ after: before, waitSeconds: 20 });
  await rename(1, 'waited for');
  const { changes, next } = await waiting;
  expect(changes).toMatchObject([{ kind: 'product.updated', product: idOf(1), cursor: expect.any(String) }]);
  expect(await open().listChanges({ after: next, limit: 5 })).toEqual({ changes: [], next, head: next });
});

describe.each(/** @type {const} */ (['followChanges', 'streamChanges']))('%s', (name) => {
  test('yields all changes in the order of the log, also those that come later', async () => {
    const before = await head();
    for (const index of [1, 2, 3]) await rename(index, `${name} ${index}`);
    const changes = take(open()[name]({ after: before }), 5);
    for (const index of [4, 5]) await rename(index, `${name} ${index}`);
    expect(await changes).toEqual((await readChanges(read, before)).changes.slice(0, 5));
  });

  test('begins with what comes after the last commit', async () => {
    const { next } = await open().listChanges({ after: 'head' });
    await rename(6, `${name} before`);
    const changes = open()[name]({ after: next });
    expect((await changes.next()).value).toMatchObject({ product: idOf(6) });
    await changes.return(/** @type {never} */ (undefined));
  });

  test('outlives lost connections', async () => {
    const before = await head();
    await rename(7, `${name} one`);
    let requests = 0;
    const cut = cutting(500);
    /** @type {any} */
    const failing = (/** @type {string} */ url, /** @type {any} */ init) => {
      requests += 1;
      return requests === 2 || requests === 3 ? Promise.reject(new TypeError('fetch failed')) : cut.fetch(url, init);
    };
    const changes = open({ fetch: failing, retry: 0 })[name]({ after: before });
    expect((await changes.next()).value).toMatchObject({ product: idOf(7) });
    const later = changes.next();
    await rename(8, `${name} two`);
    expect((await later).value).toMatchObject({ product: idOf(8) });
    await changes.return(/** @type {never} */ (undefined));
  });

  test.each([
    ['cursor-forked', 410, { after: '99.1' }],
    ['malformed-parameter', 400, { after: 'x' }],
  ])('throws %s, with which it cannot begin', async (slug, status, params) => {
    await expect(open()[name](params).next()).rejects.toMatchObject({ slug, status });
  });

  test('ends when the caller leaves', async () => {
    const leaving = new AbortController();
    const follow = open()[name];
    const change = follow({ after: await head(), signal: leaving.signal }).next();
    setImmediate(() => leaving.abort());
    await expect(change).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('that gets no first reply rejects with the error of fetch', async () => {
    const failing = { retry: 0, fetch: () => Promise.reject(new TypeError('fetch failed')) };
    await expect(open(failing)[name]({ after: 'head' }).next()).rejects.toThrow('fetch failed');
  });
});

test('a stream that is cut anywhere resumes behind its last whole event', async () => {
  const before = await head();
  for (let index = 1; index <= 8; index += 1) await rename(index, `cut ${index}`);
  const { changes } = await readChanges(read, before);
  const cut = cutting(700);
  expect(await take(open(cut).streamChanges({ after: before }), changes.length)).toEqual(changes);
  expect(cut.resumedAt.length).toBeGreaterThan(2);
  expect(cut.resumedAt[0]).toBeUndefined();
  expect(changes.map(({ cursor }) => cursor)).toEqual(expect.arrayContaining(cut.resumedAt.slice(1)));
});

test('a feed that forks while it is read throws 410', async () => {
  const after = await head();
  const changes = open().followChanges({ after });
  await rename(9, 'before the fork');
  await changes.next();
  await served.catalog.client.query('UPDATE catalog_log.head SET era = era + 1');
  await expect(changes.next()).rejects.toMatchObject({ status: 410, slug: 'cursor-forked' });
});
