'use strict';

const { until } = require('../../helpers/app');
const { readChanges, serveFeed } = require('../../helpers/changes');
const { idOf } = require('../../helpers/database');
const { callerOf, startWriter } = require('../../helpers/writer');

const { served, feed, read, head, rename } = serveFeed();

/** @param {Record<string, number[]>} lists @param {string} [kind] @param {boolean} [isWhole] */
async function append(lists, kind = 'load', isWhole = false) {
  const names = Object.keys(lists).map((name, index) => `, ${name} => $${index + 3}::int[]`);
  const text = `SELECT catalog_log.append($1, 1, is_whole => $2${names.join('')})`;
  await served.catalog.client.query(text, [kind, isWhole, ...Object.values(lists)]);
}

describe('a page of changes', () => {
  test('has writes with their revisions, and names its end', async () => {
    const before = await head();
    const [era, seq] = before.split('.').map(Number);
    await served.call('PATCH', `/products/${idOf(1)}`, { name: 'x', slogan: 'y' });
    await served.call('DELETE', `/products/${idOf(2)}`, undefined, { 'If-Match': '*' });
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const { status, body } = await read('GET', `/changes?after=${before}`);
    expect([status, body]).toEqual([
      200,
      {
        changes: [
          {
            ...{ cursor: `${era}.${seq + 1}.0`, kind: 'product.updated', product: idOf(1), revision: 2 },
            ...{ paths: ['/name', '/slogan'], actor: 'pim', at },
          },
          {
            ...{ cursor: `${era}.${seq + 2}.0`, kind: 'product.deleted', product: idOf(2), revision: 2 },
            ...{ paths: [''], actor: 'pim', at },
          },
        ],
        next: `${era}.${seq + 2}`,
        head: `${era}.${seq + 2}`,
      },
    ]);
  });

  test('has loads and stock without revisions, in the order of the log, whatever its length is', async () => {
    const before = await head();
    await append({ created: [11, 12], updated: [13], deleted: [14, 15], restocked: [16] });
    await append({});
    await append({ restocked: [21, 22, 23], cards: [21] }, 'stock');
    await append({}, 'unswap', true);
    await append({});
    const { changes, next } = await readChanges(read, before);
    expect(changes.map(({ kind, product, load_id: load }) => [kind, product, load])).toEqual([
      ...[11, 12].map((id) => ['product.created', id, 1]),
      ['product.updated', 13, 1],
      ...[14, 15].map((id) => ['product.deleted', id, 1]),
      ['stock.changed', 16, 1],
      ...[21, 22, 23].map((id) => ['stock.changed', id, undefined]),
      ['catalog.replaced', undefined, 1],
    ]);
    for (const limit of [1, 2, 3, 4, 5, 6, 7, 9, 10])
      expect([limit, await readChanges(read, before, limit)]).toEqual([limit, { changes, next }]);
    for (const [index, { cursor }] of changes.entries())
      expect((await readChanges(read, cursor)).changes).toEqual(changes.slice(index + 1));
  });

  test('has at most 20 paths of a revision', async () => {
    const before = await head();
    const styles = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [
        `new-${index}`,
        { name: `${index}`, original_price: '1', sale_price: null, 'default?': false, photos: [], skus: {} },
      ]),
    );
    const reply = await served.call('PATCH', `/products/${idOf(3)}`, { styles }, { 'Idempotency-Key': 'styles' });
    const [{ paths, revision }] = (await readChanges(read, before)).changes;
    const whole = await served.call('GET', `/products/${idOf(3)}/revisions/${revision}`);
    expect([reply.status, paths.length, whole.body.paths.length > 20]).toEqual([200, 20, true]);
    expect(paths).toEqual(whole.body.paths.slice(0, 20));
  });

  test.each([
    ['', 400, 'after is missing. Begin with after=head'],
    ['?after=', 400, 'after is missing. Begin with after=head'],
    ['?after=1', 400, 'after must be head or a cursor'],
    ['?after=1.2.x', 400, 'after must be head or a cursor'],
    ['?after=head&limit=10001', 400, 'limit must be a whole number from 1 to 10000'],
    ['?after=head&page=2', 400, 'There is no parameter "page"'],
    ['?after=0.1', 410, 'The database was promoted or restored'],
    ['?after=1.99999999', 410, 'The database was promoted or restored'],
  ])('is refused for %s with %i', async (query, status, detail) => {
    for (const path of query.includes('&') ? ['/changes'] : ['/changes', '/changes/stream']) {
      const { status: given, body } = await read('GET', `${path}${query}`);
      expect([given, body.detail]).toEqual([status, expect.stringContaining(detail)]);
    }
  });

  test('needs a key with the scope', async () => {
    const { status, body } = await served.call('GET', '/changes?after=head');
    expect([status, body.detail]).toEqual([403, 'The key pim lacks the scope changes.']);
  });
});

describe('a request that waits', () => {
  const wait = (/** @type {number} */ seconds) => ({ Prefer: `respond-async, wait=${seconds}` });
  const readers = (adminUrl = served.app.adminUrl) =>
    fetch(`${adminUrl}/metrics`).then(async (response) =>
      Number(/^catalog_feed_readers (\d+)$/m.exec(await response.text())?.[1]),
    );

  test('is answered by the next commit, one that changes nothing apart', async () => {
    const before = await head();
    const waiting = Array.from({ length: 20 }, () => read('GET', `/changes?after=${before}`, undefined, wait(30)));
    await until(async () => (await readers()) === 20);
    await append({});
    await rename(5, 'waited for');
    const replies = await Promise.all(waiting);
    const [{ body, headers }] = replies;
    expect([body.changes.length, body.changes[0].product]).toEqual([1, idOf(5)]);
    expect(headers.get('preference-applied')).toBe('wait=30');
    expect(replies.map((reply) => reply.body)).toEqual(replies.map(() => body));
    expect(await readers()).toBe(0);
  });

  test('has a place after its time, from which the next one goes on', async () => {
    const before = await head();
    const { status, body, headers } = await read('GET', `/changes?after=${before}`, undefined, wait(1));
    expect([status, body]).toEqual([200, { changes: [], next: before, head: before }]);
    expect(headers.get('preference-applied')).toBe('wait=1');
    await rename(6, 'after it');
    const more = await read('GET', `/changes?after=${body.next}`, undefined, { Prefer: 'wait=100' });
    expect([more.body.changes.length, more.headers.get('preference-applied')]).toEqual([1, 'wait=30']);
  });

  test('ends with its client, its key, and its writer', async () => {
    const before = await head();
    const left = new AbortController();
    const headers = { Authorization: `Bearer ${feed.key}`, ...wait(30) };
    const gone = fetch(`${served.app.url}/changes?after=${before}`, { headers, signal: left.signal });
    await until(async () => (await readers()) === 1);
    left.abort();
    await expect(gone).rejects.toThrow('aborted');
    await until(async () => (await readers()) === 0);

    const other = await startWriter(served.catalog.writerDsn);
    const own = callerOf(other.url, feed.key);
    expect((await own('GET', `/changes?after=${before}`)).status).toBe(200);
    const stopped = own('GET', `/changes?after=${before}`, undefined, wait(30));
    await until(async () => (await readers(other.adminUrl)) === 1);
    await other.close();
    expect((await stopped).body).toEqual({ changes: [], next: before, head: before });
  });
});

describe('a log that ends', () => {
  test('has no commits of more than 7 days, but always the last one', async () => {
    const before = await head();
    await append({ updated: [1, 2] });
    await append({ updated: [3] });
    const { changes } = await readChanges(read, before);
    const { client } = served.catalog;
    await client.query("UPDATE catalog_log.commits SET at = at - interval '8 days'");
    for (let count = 1; count > 0;)
      [{ count }] = (await client.query('SELECT catalog_log.forget()::int AS count')).rows;
    const { rows } = await client.query('SELECT seq FROM catalog_log.commits');
    expect(rows.length).toBe(1);
    const expired = await read('GET', `/changes?after=${before}&limit=9`);
    expect([expired.status, expired.body.type]).toEqual([410, 'urn:catalog:problem:cursor-expired']);
    expect((await read('GET', `/changes/stream?after=${before}`)).status).toBe(410);
    const left = await readChanges(read, `1.${rows[0].seq - 1}`);
    expect(left.changes.map(({ cursor }) => cursor)).toEqual([changes[2].cursor]);
    expect(await readChanges(read, await head())).toEqual({ changes: [], next: await head() });
  });
});
