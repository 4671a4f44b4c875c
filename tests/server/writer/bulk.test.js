'use strict';

/** @type {any} */
const document = require('../../../server/writer/openapi.json');
const { until } = require('../../helpers/app');
const { ndjson, openBulk, sendBulk, smallProduct } = require('../../helpers/bulk');
const { readerOf } = require('../../helpers/openapi');
const { failedChecks, prepareWrites, serveWriter } = require('../../helpers/writer');

const { schemaErrors } = readerOf(document);
const { BulkAnswer, BulkLine } = document.components.schemas;
const served = serveWriter(undefined, { HTTP_HEADERS_TIMEOUT_MS: 1000, HTTP_REQUEST_TIMEOUT_MS: 1000 });
afterEach(async () => expect(await failedChecks(served.catalog.client)).toEqual([]));

/** @param {string} key @param {string | object[]} lines */
const send = (key, lines) => sendBulk(served.app.url, served.key, key, lines);
/** @param {any} product @returns {any} what a client may write */
const content = ({ id, campus, created_at, updated_at, ...rest }) => rest;
const read = async (/** @type {number} */ id) => served.call('GET', `/products/${id}`);
const slugOf = (/** @type {any} */ { problem }) => problem.type.slice('urn:catalog:problem:'.length);
const patch = (/** @type {number} */ id, /** @type {string} */ name) => ({ op: 'patch', id, body: { name } });

/** @returns {Promise<{ commits: number, revisions: number }>} */
async function written() {
  const { rows } = await served.catalog.client.query(`SELECT
    (SELECT count(*) FROM catalog_log.commits)::int AS commits, (SELECT count(*) FROM catalog_log.revisions)::int AS revisions`);
  return rows[0];
}

test('answers each line in order, refused ones too, and counts them at the end', async () => {
  const [five, seven] = [await read(5), await read(7)];
  const lines = [
    { op: 'create', body: smallProduct('bulk') },
    { op: 'put', id: 5, if_match: five.headers.get('etag'), body: { ...content(five.body), slogan: 'put' } },
    patch(2, 'patched'),
    { op: 'delete', id: 7, if_match: seven.headers.get('etag') },
    { op: 'put', id: 7, if_none_match: '*', body: content(seven.body) },
    { op: 'put', id: 5, if_match: '"old"', body: { ...content(five.body), slogan: 'late' } },
    { op: 'put', id: 5, body: content(five.body) },
    { op: 'patch', id: 3, body: {} },
    { op: 'patch', id: 2, body: { nam: 'x' } },
    { op: 'patch', id: 2, body: { related: [3] } },
    { op: 'patch', id: 2, body: { name: null } },
    { op: 'merge', id: 2 },
    { op: 'patch', body: {} },
    { op: 'delete', id: 2, if_match: '*', body: {} },
  ];
  expect(lines.slice(0, 5).flatMap((line) => schemaErrors(BulkLine, line))).toEqual([]);
  const { status, lines: answers } = await send('all', `${ndjson(lines)}{"op":\n\n{"op":"delete","id":2}`);
  expect(answers.flatMap((answer) => schemaErrors(BulkAnswer, answer))).toEqual([]);
  const [made, put, patched, deleted, back, ...refused] = answers;
  const end = refused.pop();
  expect([status, made.status, put.status, patched.status, deleted.status, back.status]).toEqual([
    ...[200, 201, 200, 200, 204, 201],
  ]);
  const isBlank = 16;
  expect(answers.slice(0, -1).map(({ line }) => line)).toEqual(
    Array.from({ length: 17 }, (_, index) => index + 1).filter((line) => line !== isBlank),
  );
  expect(refused.map((each) => [each.status, slugOf(each), each.problem.errors?.[0].pointer])).toEqual([
    [412, 'precondition-failed', undefined],
    [428, 'precondition-required', undefined],
    [404, 'unknown-product', undefined],
    [422, 'invalid-body', '/body/nam'],
    [422, 'invalid-body', '/body/related/0'],
    [422, 'invalid-body', '/body/name'],
    [422, 'invalid-body', '/op'],
    [422, 'invalid-body', '/id'],
    [422, 'invalid-body', '/body'],
    [400, 'malformed-request', undefined],
    [428, 'precondition-required', undefined],
  ]);
  const after = await read(made.id);
  expect([after.body.name, after.headers.get('etag')]).toEqual(['bulk', made.etag]);
  expect((await read(2)).body).toMatchObject({ name: 'patched' });
  expect((await read(5)).headers.get('etag')).toBe(put.etag);
  expect(end).toEqual({ done: true, lines: 16, failed: 11, cursor: back.cursor });
});

test('a repeat with the same key gets the same answers, and tries only failed lines again', async () => {
  const lines = [patch(4, 'first'), { op: 'create', body: smallProduct('once') }, patch(3, 'x'), patch(5, 'last')];
  const first = await send('again', lines);
  expect(first.lines.map(({ status }) => status)).toEqual([200, 201, 404, 200, undefined]);
  const before = await written();
  expect((await send('again', lines)).text.replaceAll(/urn:request:[\w-]+/g, '')).toBe(
    first.text.replaceAll(/urn:request:[\w-]+/g, ''),
  );
  const changed = await send('again', [lines[0], patch(4, 'other'), patch(2, 'now'), lines[3], patch(2, 'new')]);
  expect(changed.lines.map(({ status }) => status)).toEqual([200, 422, 200, 200, 200, undefined]);
  expect(slugOf(changed.lines[1])).toBe('idempotency-key-reused');
  expect([changed.lines[0], changed.lines[3]]).toEqual([first.lines[0], first.lines[3]]);
  expect((await written()).revisions).toBe(before.revisions + 2);
  const { rows } = await served.catalog.client.query(
    `SELECT max(octet_length(body)) AS bytes, count(*)::int AS count
    FROM catalog_log.requests
    JOIN generate_series(1, 9) AS line ON digest = catalog_log.request_digest($1, 'again/' || line)`,
    [served.key.split('_')[1]],
  );
  expect([rows[0].bytes < 30, rows[0].count]).toEqual([true, 5]);
});

test('a request that is sent again with a line more or less does none twice', async () => {
  const create = { op: 'create', body: smallProduct('shifted') };
  const lines = [patch(4, 'shift'), patch(3, 'x'), create, patch(5, 'shift')];
  expect((await send('shift', lines)).lines.map(({ status }) => status)).toEqual([200, 404, 201, 200, undefined]);
  const before = await written();
  const less = await send('shift', [lines[0], lines[2], lines[3]]);
  const more = await send('shift', [patch(2, 'first'), ...lines]);
  expect([less, more].map((reply) => reply.lines.map(({ status }) => status))).toEqual([
    [200, 422, 422, undefined],
    [422, 422, 422, 422, 422, undefined],
  ]);
  expect([slugOf(less.lines[1]), less.lines[1].problem.detail]).toEqual([
    'idempotency-key-reused',
    expect.stringContaining('in line 3'),
  ]);
  expect(more.lines[4].problem.detail).toContain('in line 4');
  expect(await written()).toEqual(before);
});

test.each([
  ['ends of CRLF', (/** @type {string[]} */ lines) => lines.join('\r\n')],
  ['a byte order mark', (/** @type {string[]} */ lines) => `\ufeff${lines.join('\n')}`],
  ['indents', (/** @type {string[]} */ lines) => lines.map((line) => ` \t${line} `).join('\n')],
])('lines that are sent again with %s and a line more are done once', async (how, write) => {
  const key = how.replaceAll(' ', '-');
  const lines = [4, 5].map((id) => JSON.stringify(patch(id, how)));
  await sendBulk(served.app.url, served.key, key, lines.join('\n'));
  const before = await written();
  const more = await sendBulk(served.app.url, served.key, key, write([...lines, JSON.stringify(patch(3, how))]));
  expect(more.lines.map(({ status }) => status)).toEqual([200, 200, 404, undefined]);
  const shifted = await sendBulk(served.app.url, served.key, key, write([JSON.stringify(patch(3, how)), ...lines]));
  expect(shifted.lines.map(({ status }) => status)).toEqual([422, 422, 422, undefined]);
  expect(await written()).toEqual(before);
});

test('lines with the same bytes are each done once, also in a repeat with more of them', async () => {
  const create = { op: 'create', body: smallProduct('same') };
  const lines = [create, patch(3, 'x'), create, create];
  const first = await send('same', lines);
  expect(first.lines.map(({ status }) => status)).toEqual([201, 404, 201, 201, undefined]);
  const again = await send('same', [...lines, create, patch(4, 'same')]);
  expect(again.lines.map(({ status }) => status)).toEqual([201, 404, 201, 201, 201, 200, undefined]);
  expect(again.lines.slice(0, 4).map(({ id }) => id)).toEqual(first.lines.slice(0, 4).map(({ id }) => id));
  expect(new Set(again.lines.flatMap(({ id }) => id ?? [])).size).toBe(5);
});

test('lines of one product keep their order, and share transactions with others', async () => {
  const before = await written();
  const lines = Array.from({ length: 300 }, (_, index) =>
    index % 10 === 0 ? patch(4, `n-${index}`) : { op: 'create', body: smallProduct(`s-${index}`) },
  );
  const { lines: answers } = await send('order', lines);
  expect(answers.at(-1)).toMatchObject({ lines: 300, failed: 0 });
  expect((await read(4)).body.name).toBe('n-290');
  const { rows } = await served.catalog.client.query(
    "SELECT content ->> 'name' AS name FROM catalog_log.revisions WHERE product_id = 4 ORDER BY revision DESC LIMIT 30",
  );
  expect(rows.map(({ name }) => name)).toEqual(Array.from({ length: 30 }, (_, index) => `n-${290 - index * 10}`));
  expect((await written()).commits - before.commits).toBeLessThan(60);
});

test('deletions share transactions, and leave the related lists of the products that stay', async () => {
  const made = await send(
    'for-deletion',
    Array.from({ length: 40 }, (_, index) => ({ op: 'create', body: smallProduct(`d-${index}`) })),
  );
  const ids = made.lines.slice(0, -1).map(({ id }) => id);
  await served.call('PATCH', '/products/4', { related: [ids[20], 1, ids[21], ids[39], ids[20]] });
  await served.call('PATCH', `/products/${ids[1]}`, { related: [ids[0], ids[2]] });
  const before = await written();
  const { lines } = await send(
    'deletion',
    ids.map((id, index) => ({ op: 'delete', id, if_match: index === 7 ? '"old"' : '*' })),
  );
  expect(lines.map(({ status }) => status)).toEqual(
    ids.map((_, index) => (index === 7 ? 412 : 204)).concat(/** @type {any} */ (undefined)),
  );
  expect((await read(4)).body.related).toEqual([1]);
  expect((await written()).commits - before.commits).toBeLessThan(10);
  const { rows } = await served.catalog.client.query(
    'SELECT count(*)::int AS count FROM catalog.products WHERE id = ANY ($1)',
    [ids],
  );
  expect(rows).toEqual([{ count: 1 }]);
});

test('a client may wait for the answers before it sends more, longer than a request may take', async () => {
  const bulk = openBulk(served.app.url, served.key, 'slow');
  const startedMs = performance.now();
  let count = 0;
  do {
    await bulk.write(`${JSON.stringify(patch(4, `slow-${(count += 1)}`))}\n`);
    await until(() => bulk.lines().length === count);
  } while (performance.now() - startedMs < 3500);
  bulk.request.end();
  expect((await bulk.over()).lines.at(-1)).toMatchObject({ done: true, lines: count, failed: 0 });
});

test('a request of the same key that comes while the first is under way is a 409', async () => {
  const bulk = openBulk(served.app.url, served.key, 'twice');
  await bulk.write(`${JSON.stringify(patch(4, 'twice'))}\n`);
  await until(() => bulk.lines().length === 1);
  const second = await send('twice', [patch(4, 'twice')]);
  expect([second.status, JSON.parse(second.text).type]).toEqual([409, 'urn:catalog:problem:idempotency-in-progress']);
  bulk.request.end();
  expect((await bulk.over()).lines.at(-1)).toMatchObject({ done: true });
  expect((await send('twice', [patch(4, 'twice')])).lines.at(-1)).toMatchObject({ done: true, failed: 0 });
});

test.each([
  [428, {}, 'application/x-ndjson', ['content']],
  [415, { 'Idempotency-Key': 'x' }, 'application/json', ['content']],
  [403, { 'Idempotency-Key': 'x' }, 'application/x-ndjson', ['history']],
])('a request that cannot begin is a %d', async (status, headers, type, scopes) => {
  const key = await prepareWrites(served.catalog, { name: `bulk-${status}`, scopes });
  const reply = await fetch(`${served.app.url}/bulk`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': type, ...headers },
    body: ndjson([patch(1, 'x')]),
  });
  expect(reply.status).toBe(status);
});
