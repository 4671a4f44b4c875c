'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { text } = require('node:stream/consumers');

const { loadCatalog, runLoader } = require('../../../scripts/lib/commands');
const { environment } = require('../../../scripts/lib/environment');
const { processTree } = require('../../../scripts/lib/proc');
const { runOrThrow } = require('../../../scripts/lib/run');
const { root } = require('../../../scripts/lib/runtime');
const { withClient } = require('../../../scripts/local/roles');
const { until } = require('../../helpers/app');
const { newEra, promotion, startPair, together } = require('../../helpers/replica');
const { fillWithSample } = require('../../helpers/sample');
const { writeHistory } = require('../../helpers/write-history');
const { callerOf, startWriter } = require('../../helpers/writer');

/*
 * The primary loses its power under constant writes and in the middle of a load, and its synchronous replica is promoted. Nobody tells the
 * writers or the loader which server that is.
 */

const timeouts = { PG_LOCK_TIMEOUT_MS: 1300, PG_STATEMENT_TIMEOUT_MS: 1400, PG_QUERY_TIMEOUT_MS: 1500 };
/** Chunks of this file wait until its session ends. */
const HOLD = `
  CREATE FUNCTION catalog_meta.hold() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.file = 'skus.csv' THEN PERFORM pg_advisory_xact_lock(77); END IF; RETURN NEW; END $$;
  CREATE TRIGGER hold BEFORE INSERT ON catalog_meta.chunks FOR EACH ROW EXECUTE FUNCTION catalog_meta.hold()`;

/** @type {Awaited<ReturnType<typeof startPair>>} */
let pair;
/** @type {Awaited<ReturnType<typeof startWriter>>[]} */
const writers = [];
let [dir, key, calls] = ['', '', 0];
const onPrimary = (/** @type {string} */ sql) => withClient(pair.primary.superuserDsn('catalog'), (client) => client.query(sql)); // prettier-ignore
const onReplica = async (/** @type {string} */ sql) =>
  (await withClient(pair.replica.at(pair.primary.superuserDsn('catalog')), (client) => client.query(sql))).rows;
/** The primary first, which is the one that is lost. @param {'loader' | 'writer'} role */
const ofBoth = (role) => together(pair.primary.dsn(role), pair.replica.at(pair.primary.dsn(role)));
const loaderEnv = () => ({ LOADER_DATABASE_URL: ofBoth('loader') });

beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'failover-'));
  pair = await startPair();
  await fillWithSample(ofBoth('loader'), dir, { products: 300 });
  const make = ['create', 'till', '--scopes', 'content,stock'];
  const command = [process.execPath, path.join(root, 'scripts/key.js'), ...make];
  key = (await runOrThrow(command, loaderEnv(), { keepOutput: true })).trim();
  await until(
    async () => (await onReplica("SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming'")).length === 1,
  );
  for (const sql of ["ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()'])
    await onPrimary(sql);
  for (let count = 0; count < 2; count += 1) writers.push(await startWriter(ofBoth('writer'), timeouts));
}, 120_000);
afterAll(async () => {
  await Promise.all(writers.map((writer) => writer.close()));
  await pair?.stop();
  fs.rmSync(dir, { recursive: true, force: true });
});

/** @param {string} cursor */
function startLoad(cursor) {
  const words = [
    ...loadCatalog(path.join(dir, 'sample-usual'), path.join(dir, 'rejects')),
    '--as-of',
    cursor,
    '--again',
  ];
  const [program, ...args] = words;
  return spawn(program, args, {
    cwd: root,
    env: environment('loader', loaderEnv()),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

const reaches = (/** @type {string} */ file) => async () =>
  (await onReplica(`SELECT FROM catalog_meta.chunks WHERE file = '${file}' AND load_id = 2`)).length > 0;

test('after a failover each acknowledged write is there once, and a load resumes', async () => {
  const [{ head: start }] = await onReplica("SELECT era || '.' || seq AS head FROM catalog_log.head");
  const products = (await onReplica('SELECT id FROM catalog.products ORDER BY id LIMIT 40')).map(({ id }) => id);
  const skus = (await onReplica('SELECT id FROM catalog.skus ORDER BY id LIMIT 200')).map(({ id }) => id);
  const history = writeHistory({ url: () => writers[(calls += 1) % 2].url, key, products, skus });
  await history.more(30);

  const strict = await startWriter(ofBoth('writer'), { ...timeouts, WRITE_DURABILITY: 'replicated' });
  const write = () => callerOf(strict.url, key)('PATCH', `/products/${products.at(-1)}`, { slogan: 'strict' });
  expect(await write()).toMatchObject({ status: 200 });
  const hidden = products[0];
  expect(await callerOf(strict.url, key)('POST', `/products/${hidden}/hide`)).toMatchObject({ status: 200 });
  const hiddenNow = async () => (await onReplica('SELECT id FROM catalog.hidden_documents')).map(({ id }) => id);

  await onPrimary(HOLD);
  await withClient(pair.primary.superuserDsn('catalog'), async (client) => {
    await client.query('SELECT pg_advisory_lock(77)');
    const loading = startLoad(start);
    const said = text(/** @type {any} */ (loading.stderr));
    await until(reaches('styles.csv'));
    for (const pid of processTree(pair.primary.pid)) process.kill(pid, 'SIGKILL');
    const [status] = await once(loading, 'close');
    expect([status, (await said).trim().split('\n').at(-1)]).toEqual([1, expect.stringMatching(/PostgreSQL went away.*run the same command again/)]); // prettier-ignore
  });
  await onReplica(promotion);
  await onReplica(newEra);
  await onReplica('DROP TRIGGER hold ON catalog_meta.chunks');
  expect(await hiddenNow()).toEqual([hidden]);
  await history.more(30);

  expect(await write()).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('No synchronous standby') },
  });
  await strict.close();

  // The operator says that the exported files have the same writes: a promotion may have lost some, so it begins an era.
  const [{ era }] = await onReplica('SELECT era FROM catalog_log.head');
  const again = startLoad(start.replace(/^\d+/, era));
  const said = text(/** @type {any} */ (again.stderr));
  expect([(await once(again, 'close'))[0], await said]).toEqual([0, expect.stringContaining('resum')]);
  await history.more(30);
  await history.stop();
  expect(history.errors).toEqual([]);
  expect(await hiddenNow()).toEqual([hidden]); // the next load has it, too

  const logged = await onReplica(
    "SELECT request_id AS id FROM catalog_log.revisions WHERE kind <> 'load' AND request_id LIKE 'p-%' ORDER BY 1",
  );
  expect(logged.map(({ id }) => id)).toEqual(history.patches.map(({ id }) => id).sort());
  const stocked = await onReplica('SELECT sum(cardinality(skus))::int AS count FROM catalog_log.stock_log');
  expect(stocked[0].count).toBe(history.stock.flatMap(({ set, adjust }) => [...set, ...adjust]).length);
  await runOrThrow(runLoader('verify', '--served'), loaderEnv(), { keepOutput: true });
}, 300_000);
