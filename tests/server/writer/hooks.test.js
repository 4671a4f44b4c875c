'use strict';

/** @type {any} */
const document = require('../../../server/writer/openapi.json');
const { until } = require('../../helpers/app');
const { readChanges, serveFeed } = require('../../helpers/changes');
const { idOf } = require('../../helpers/database');
const { readerOf } = require('../../helpers/openapi');
const { addHook, readHook, startReceiver } = require('../../helpers/receiver');
const { startWriter } = require('../../helpers/writer');

const { served, read, head, rename } = serveFeed();
const { schemaErrors } = readerOf(document);
/** @type {{ close: () => Promise<void> }[]} */
const opened = [];
afterEach(async () => {
  await served.catalog.client.query('DELETE FROM catalog_meta.hooks');
  for (const each of opened.splice(0)) await each.close();
});

/** @param {Parameters<typeof startReceiver>[0]} [answerOf] @param {Parameters<typeof addHook>[2]} [options] */
async function hookTo(answerOf, options) {
  const receiver = await startReceiver(answerOf);
  opened.push(receiver);
  const id = await addHook(served.catalog.client, receiver.url, options);
  return { receiver, id, row: () => readHook(served.catalog.client, id) };
}

/** Lets a hook be tried again at once. @param {number} id */
const retry = (id) =>
  served.catalog.client.query('UPDATE catalog_meta.hooks SET next_at = clock_timestamp() WHERE id = $1', [id]);

test('a receiver gets each change once, signed, in the order and with the members of the feed', async () => {
  const begin = await head();
  const { receiver, row } = await hookTo();
  for (let index = 0; index < 5; index += 1) await rename(index, `Signed ${index}`);
  const { changes, next } = await readChanges(read, begin);
  await until(async () => (await row()).cursor === next);
  expect(receiver.requests.flatMap((request) => request.changes)).toEqual(changes);
  expect(receiver.state.refused).toBe(0);
  for (const { id, changes: own } of receiver.requests) expect(id).toBe(own.at(-1)?.cursor);
  expect(await row()).toMatchObject({ failures: 0, bound: null, answer: '200', paused: null });
});

test('a request has at most 100 changes, and the body is a reply of /changes', async () => {
  const { client } = served.catalog;
  const { receiver, id, row } = await hookTo();
  await client.query("UPDATE catalog_meta.hooks SET paused = 'operator'");
  const begin = await head();
  const updated = Array.from({ length: 50 }, (_, index) => idOf(index + 1));
  for (let commit = 0; commit < 5; commit += 1)
    await client.query("SELECT catalog_log.append('content', 1, updated => $1)", [updated]);
  await client.query('UPDATE catalog_meta.hooks SET paused = NULL WHERE id = $1', [id]);
  const { changes, next } = await readChanges(read, begin);
  await until(async () => (await row()).cursor === next);
  expect(receiver.requests.map(({ changes: own }) => own.length)).toEqual([100, 100, 50]);
  expect(receiver.taken()).toEqual(changes);
  const { status, body } = await read('GET', `/changes?after=${begin}&limit=100`);
  expect([status, JSON.parse(receiver.requests[0].body)]).toEqual([200, body]);
});

test('a repeat has the same id and body, though more has changed since', async () => {
  const { receiver, id, row } = await hookTo((_, index) => (index < 2 ? 500 : 200));
  await rename(1, 'Before');
  await until(async () => (await row()).failures === 1);
  await rename(2, 'Since');
  await until(async () => (await row()).failures === 2);
  await retry(id);
  await until(() => receiver.taken().length === 2);
  const [first, second, third] = receiver.requests;
  expect([second, third].map(({ id: own, body }) => [own, body])).toEqual(Array(2).fill([first.id, first.body]));
  expect(receiver.taken().map(({ product }) => product)).toEqual([idOf(1), idOf(2)]);
});

test.each(
  /** @type {[number | 'broken', RegExp][]} */ ([
    [500, /^500$/],
    [302, /^302, and redirects are not followed$/],
    [410, /^410$/],
    ['broken', /socket hang up|ECONNRESET/],
  ]),
)('an answer %s is not taken for a receipt, and is shown', async (answer, text) => {
  const { receiver, row } = await hookTo(() => answer);
  await rename(3, `Answered ${answer}`);
  await until(async () => (await row()).failures > 0);
  expect((await row()).answer).toMatch(text);
  expect(receiver.requests.every(({ id }) => id === receiver.requests[0].id)).toBe(true);
  expect((await row()).bound).not.toBeNull();
});

test('waits double from 1 s to 1 h, and end at a receipt', async () => {
  const { receiver, id, row } = await hookTo(() => 503);
  const { client } = served.catalog;
  await rename(4, 'Late');
  const waits = [];
  for (const failures of [0, 1, 5, 11, 12, 40]) {
    const sql = 'UPDATE catalog_meta.hooks SET failures = $1, answered_at = NULL, next_at = clock_timestamp()';
    await client.query(sql, [failures]);
    await until(async () => (await row()).answered_at !== null);
    const { next_at: next, answered_at: answered } = await row();
    waits.push(Math.round((next - answered) / 1000));
  }
  expect(waits).toEqual([1, 2, 32, 2048, 3600, 3600]);
  receiver.state.answerOf = () => 204;
  await retry(id);
  await until(async () => (await row()).failures === 0);
  expect((await row()).failing_since).toBeNull();
});

test('a hook that fails for 24 hours is paused, keeps its cursor, and is counted for the alert', async () => {
  const begin = await head();
  const { receiver, id, row } = await hookTo(() => 500);
  await rename(5, 'Never taken');
  await until(async () => (await row()).failures > 0);
  await served.catalog.client.query("UPDATE catalog_meta.hooks SET failing_since = now() - interval '25 hours'");
  await retry(id);
  await until(async () => (await row()).paused === 'failing');
  const { length } = receiver.requests;
  expect((await row()).cursor).toBe(begin);
  const metrics = async () => (await fetch(`${served.app.adminUrl}/metrics`)).text();
  await until(async () => (await metrics()).includes(`catalog_hook_paused{hook="${id}"} 1`));
  await rename(6, 'Neither');
  await until(async () => !(await metrics()).includes(`catalog_hook_behind_seconds{hook="${id}"} 0\n`));
  expect(receiver.requests.length).toBe(length);
});

test('a cursor that is older than the log pauses its hook', async () => {
  const { client } = served.catalog;
  const { receiver, row } = await hookTo();
  await client.query("UPDATE catalog_meta.hooks SET paused = 'operator'");
  for (let index = 7; index < 10; index += 1) await rename(index, 'Forgotten');
  await client.query('DELETE FROM catalog_log.commits WHERE seq < (SELECT seq FROM catalog_log.head)');
  await client.query('UPDATE catalog_meta.hooks SET paused = NULL');
  await until(async () => (await row()).paused === 'cursor-expired');
  expect(receiver.requests).toEqual([]);
});

test('only wanted kinds go out, and the cursor passes the others', async () => {
  const { receiver, row } = await hookTo(undefined, { types: ['stock.*'] });
  await rename(11, 'Unwanted');
  const seen = await head();
  await until(async () => (await row()).cursor === seen);
  expect(receiver.requests).toEqual([]);
  await served.catalog.client.query("SELECT catalog_log.append('stock', 1, restocked => '{3}')");
  await until(() => receiver.taken().length === 1);
  expect(receiver.taken()).toMatchObject([{ kind: 'stock.changed', product: 3 }]);
});

test('a load and another log go out to each hook, whatever it wants', async () => {
  const { client } = served.catalog;
  const { receiver, row } = await hookTo((_, index) => (index === 1 ? 500 : 200), { types: ['product.deleted'] });
  await client.query("SELECT catalog_log.append('load', 1, is_whole => true)");
  await until(() => receiver.taken().length === 1);
  await client.query('SELECT catalog_log.begin_era()');
  await until(() => receiver.taken().length === 2);
  const forked = await head();
  expect(receiver.taken()).toMatchObject([{ kind: 'catalog.replaced' }, { kind: 'catalog.forked', cursor: forked }]);
  expect(receiver.requests.map(({ body }) => body)).toEqual(
    [...new Set(receiver.requests.map(({ body }) => body))].flatMap((body, index) =>
      index === 1 ? [body, body] : [body],
    ),
  );
  expect((await row()).cursor).toBe(forked);
  const { schema } = document.webhooks.changes.post.requestBody.content['application/json'];
  expect(receiver.requests.flatMap(({ body }) => schemaErrors(schema, JSON.parse(body)))).toEqual([]);
});

test('a slow hook delays neither another one nor a write', async () => {
  const slow = await hookTo(() => 'silent');
  const quick = await hookTo();
  await rename(12, 'Held');
  await until(() => slow.receiver.requests.length === 1 && quick.receiver.taken().length === 1);
  await rename(13, 'Beside');
  await until(() => quick.receiver.taken().length === 2);
  expect((await slow.row()).answer).toBeNull();
});

test('one of two writers sends, and the other one goes on after it', async () => {
  const other = await startWriter(served.catalog.writerDsn);
  opened.push(other);
  const { receiver } = await hookTo();
  const leaders = async () => {
    const texts = await Promise.all(
      [served.app, other].map(async ({ adminUrl }) => (await fetch(`${adminUrl}/metrics`)).text()),
    );
    return texts.map((text) => /^catalog_hooks_leader (\d)/m.exec(text)?.[1]).join('');
  };
  await until(async () => (await leaders()) === '10');
  await rename(14, 'By the first');
  await until(() => receiver.taken().length === 1);
  const sql =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'catalog-hooks' AND datname = current_database() AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')";
  await served.catalog.client.query(sql);
  await rename(15, 'By either');
  await until(() => receiver.taken().length === 2);
  expect(receiver.requests.map(({ changes }) => changes.length)).toEqual([1, 1]);
});
