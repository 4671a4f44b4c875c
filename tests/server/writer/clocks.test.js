'use strict';

const { callerOf, prepareWrites, serveWriter } = require('../../helpers/writer');

const served = serveWriter();
const query = async (/** @type {string} */ text) => (await served.catalog.client.query(text)).rows;
/** @type {ReturnType<typeof callerOf>} */
let call;

/** Sets the clock of this database, as its statements read it. @param {string} ahead */
const setClock = (ahead) =>
  query(`CREATE OR REPLACE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS $$ SELECT pg_catalog.true_clock() + interval '${ahead}' $$`);

beforeAll(async () => {
  const scopes = ['content', 'history', 'stock', 'changes'];
  call = callerOf(served.app.url, await prepareWrites(served.catalog, { name: 'any', scopes }));
  await query('ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO true_clock');
});
beforeEach(() => setClock('0'));

let names = 0;
const rename = async () => {
  const reply = await call('PATCH', '/products/4', { name: `Name ${(names += 1)}` });
  expect(reply.status).toBe(200);
  return { updated: reply.body.updated_at, cursor: String(reply.headers.get('catalog-cursor')) };
};
const adjust = (/** @type {string} */ key) =>
  call('POST', '/stock', { adjust: [[37, 1]] }, { 'Idempotency-Key': key }); // prettier-ignore
const growing = (/** @type {string[]} */ times) =>
  times.every((time, place) => place === 0 || Date.parse(time) > Date.parse(times[place - 1]));

test.each(['-1 hour', '1 hour'])(
  'times of products, revisions and commits keep their order when the clock jumps by %s',
  async (jump) => {
    const key = `clock${jump.replace(' ', '-')}`;
    const writes = [await rename()];
    const adjusted = await adjust(key);
    expect(adjusted.status).toBe(200);
    await setClock(jump);
    writes.push(await rename(), await rename());
    expect((await adjust(key)).body).toEqual(adjusted.body);
    expect((await adjust(`${key}-later`)).status).toBe(200);
    await setClock('0');
    writes.push(await rename());
    expect(growing(writes.map(({ updated }) => updated))).toBe(true);
    const { body } = await call('GET', `/changes?after=${writes[0].cursor}`);
    expect(body.changes.map((/** @type {any} */ { kind }) => kind)).toEqual([
      ...['stock.changed', 'product.updated', 'product.updated', 'stock.changed', 'product.updated'],
    ]);
    const ats = await query(`SELECT
      ARRAY(SELECT at FROM catalog_log.commits ORDER BY seq) = ARRAY(SELECT at FROM catalog_log.commits ORDER BY at) AS commits,
      ARRAY(SELECT at FROM catalog_log.revisions WHERE product_id = 4 ORDER BY revision)
        = ARRAY(SELECT at FROM catalog_log.revisions WHERE product_id = 4 ORDER BY at) AS revisions`);
    expect(ats).toEqual([{ commits: true, revisions: true }]);
  },
);

test('an era that begins after the clock was set back is another one', async () => {
  const { cursor } = await rename();
  const begin = async () => (await query('SELECT catalog_log.begin_era() AS era'))[0].era;
  const first = await begin();
  await setClock('-1 hour');
  expect(await begin()).toBeGreaterThan(first);
  await rename();
  expect((await call('GET', `/changes?after=${cursor}`)).status).toBe(410);
});

test('a clock that is far ahead lets the log forget, and readers are told', async () => {
  const [first, last] = [await rename(), await rename()];
  await setClock('8 days');
  while ((await query('SELECT catalog_log.forget()::int AS count'))[0].count > 0);
  const expired = await call('GET', `/changes?after=${first.cursor.replace(/\d+$/, '1')}`);
  expect([expired.status, expired.body.type]).toEqual([410, 'urn:catalog:problem:cursor-expired']);
  const { cursor } = await rename();
  const { body } = await call('GET', `/changes?after=${last.cursor}`);
  expect(body.changes).toEqual([expect.objectContaining({ kind: 'product.updated', cursor: `${cursor}.0` })]);
});
