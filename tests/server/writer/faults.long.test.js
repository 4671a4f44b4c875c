'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');

const { generateSample, loadCatalog, prepareCatalog, runLoader } = require('../../../scripts/lib/commands');
const { processTree } = require('../../../scripts/lib/proc');
const { runOrThrow } = require('../../../scripts/lib/run');
const { root } = require('../../../scripts/lib/runtime');
const { startPostgres } = require('../../../scripts/local/postgres');
const { withClient } = require('../../../scripts/local/roles');
const { startValkey } = require('../../../scripts/local/valkey');
const { until } = require('../../helpers/app');
const { freePort } = require('../../helpers/servers');
const { startReadyWorker, startWorker } = require('../../helpers/worker');
const { followFeed, writeHistory } = require('../../helpers/write-history');
const { callerOf } = require('../../helpers/writer');

/*
 * The faults of a written catalog, one after the other under constant writes, and at the end everything that clients know compared with
 * the log, the log with the rows, and the rows with what is served. The log is one order of all operations, so this needs no search for one.
 */

const PRODUCTS = 300;
const FROZEN_MS = 2000;
/** Acknowledged writes of each kind after each fault. */
const MORE = 15;
const FOLLOWERS = 3;

/** @type {import('../../../scripts/local/postgres').Postgres} */
let postgres;
/** @type {Awaited<ReturnType<typeof startValkey>>} */
let valkey;
/** @type {(ReturnType<typeof startWorker> & { port: number })[]} two, of which clients use either */
const writers = [];
/** @type {(() => string)[]} logs of these and of those that were killed */
const logs = [];
/** @type {Awaited<ReturnType<typeof startReadyWorker>>[]} */
const workers = [];
let [dir, data, key, calls] = ['', '', '', 0];

/** @param {string} sql @param {unknown[]} [values] @returns {Promise<any[]>} */
const rowsOf = (sql, values) =>
  withClient(postgres.superuserDsn('catalog'), async (client) => (await client.query(sql, values)).rows);
const loaderEnv = () => ({ LOADER_DATABASE_URL: postgres.dsn('loader') });
const rejects = () => path.join(dir, 'rejects');
const aWriter = () => `http://127.0.0.1:${writers[(calls += 1) % writers.length].port}`;

/** @param {number} port */
async function startWriterAt(port) {
  const writer = startWorker(
    { WRITE_PORT: port, WRITE_ADMIN_PORT: port + 1, WRITE_DATABASE_URL: postgres.dsn('writer'), LOG_LEVEL: 'warn' },
    'writer/index.js',
  );
  logs.push(writer.output);
  await once(writer.child, 'message');
  return { ...writer, port };
}

beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'written-'));
  data = path.join(dir, 'data');
  postgres = await startPostgres({ dir });
  valkey = await startValkey({ dir });
  await runOrThrow(generateSample(data, PRODUCTS), {}, { keepOutput: true });
  for (const command of [prepareCatalog(), loadCatalog(data, rejects())])
    await runOrThrow(command, loaderEnv(), { keepOutput: true });
  const make = [path.join(root, 'scripts/key.js'), 'create', 'till', '--scopes', 'content,history,stock,changes'];
  key = (await runOrThrow([process.execPath, ...make], loaderEnv(), { keepOutput: true })).trim();
  for (let index = 0; index < 2; index += 1) {
    writers.push(await startWriterAt(await freePort(2)));
    workers.push(
      await startReadyWorker({ DATABASE_URL: postgres.dsn('api'), REDIS_URL: valkey.url, LOG_LEVEL: 'warn' }),
    );
  }
}, 120_000);
afterAll(async () => {
  for (const { child } of [...writers, ...workers]) child.kill('SIGKILL');
  await valkey?.stop();
  await postgres?.stop('immediate');
  fs.rmSync(dir, { recursive: true, force: true });
});

/** @param {number} index */
async function killWriter(index) {
  writers[index].child.kill('SIGKILL');
  await writers[index].exited;
  Object.assign(writers, { [index]: await startWriterAt(writers[index].port) });
}

/** The processes of a killed server hold its memory until they notice. */
async function killPostgres() {
  await postgres.stop('immediate');
  await until(() => startPostgres({ dir }).then((server) => ((postgres = server), true), () => false)); // prettier-ignore
}

/** @param {number} pid with all below it */
async function freeze(pid) {
  const pids = processTree(pid);
  for (const each of pids) process.kill(each, 'SIGSTOP');
  await pause(FROZEN_MS);
  for (const each of pids) process.kill(each, 'SIGCONT');
}

/** @param {string} cursor up to which the files have the writes */
const reload = (cursor) =>
  runOrThrow([...loadCatalog(data, rejects()), '--again', '--as-of', cursor], loaderEnv(), { keepOutput: true });

/** @param {string} start cursor before all writes @returns {[name: string, fault: () => Promise<unknown>][]} */
const faultsOf = (start) => [
  ['a writer killed', () => killWriter(0)],
  ['both writers killed', () => Promise.all([killWriter(0), killWriter(1)])],
  ['PostgreSQL killed', killPostgres],
  ['PostgreSQL frozen', () => freeze(postgres.pid)],
  ['a writer frozen', () => freeze(Number(writers[1].child.pid))],
  ['Redis killed', () => valkey.stop()],
  ['a load that replays', () => reload(start)],
  ['a writer killed during a load', () => Promise.all([reload(start), killWriter(1)])],
];

/** Writes that were refused for good, with the cause in the writers' logs. @param {string[]} errors `ID: …` */
function withCauses(errors) {
  const lines = logs.flatMap((output) => output().split('\n'));
  return errors.flatMap((error) => [error, ...lines.filter((line) => line.includes(`"${error.split(':', 1)}"`))]);
}

/** @param {ReturnType<typeof writeHistory>} history */
async function expectPatchesInLog({ patches }) {
  const rows = await rowsOf(
    "SELECT request_id AS id, product_id AS product, seq::int FROM catalog_log.revisions WHERE kind <> 'load' ORDER BY product_id, seq",
  );
  const logged = Object.groupBy(rows, ({ id }) => id);
  for (const { id, product } of patches)
    expect([id, logged[id]?.map((/** @type {any} */ row) => row.product)]).toEqual([id, [product]]);
  expect(rows).toHaveLength(patches.length); // clients repeat until they know
  const known = new Map(patches.map((patch) => [patch.id, patch]));
  expectRealOrder(rows.map(({ id, product }) => ({ ...known.get(id), key: product })));
  const last = new Map(rows.map(({ product, id }) => [product, id]));
  const served = await rowsOf('SELECT id, slogan FROM catalog.products WHERE id = ANY ($1)', [[...last.keys()]]);
  expect(new Map(served.map(({ id, slogan }) => [id, slogan]))).toEqual(last);
}

/** A write that was answered before another was sent comes before it. @param {any[]} ordered of each key in the order of the log */
function expectRealOrder(ordered) {
  /** @type {Map<number, number>} */
  const latest = new Map();
  for (const { key: own, invoked, answered, id } of ordered) {
    expect([id, answered > (latest.get(own) ?? 0)]).toEqual([id, true]);
    latest.set(own, Math.max(latest.get(own) ?? 0, invoked));
  }
}

/** @param {ReturnType<typeof writeHistory>} history @param {Map<number, number>} before quantities of the load */
async function expectStockInLog({ stock }, before) {
  const operations = await rowsOf(`
    SELECT operation.sku, operation.amount, operation.adjusts, logged.pos - cardinality(logged.skus) + place AS pos
    FROM catalog_log.stock_log AS logged
    CROSS JOIN unnest(logged.skus, logged.amounts, logged.adjusts) WITH ORDINALITY AS operation (sku, amount, adjusts, place)
    ORDER BY 4`);
  const sets = operations.filter(({ adjusts }) => !adjusts);
  const known = new Map(stock.flatMap((own) => own.set.map(([sku, quantity]) => [`${sku} ${quantity}`, own])));
  expect(sets.map(({ sku, amount }) => `${sku} ${amount}`).sort()).toEqual([...known.keys()].sort());
  expectRealOrder(
    sets.map(({ sku, amount }) => ({ ...known.get(`${sku} ${amount}`), key: sku })).sort((a, b) => a.key - b.key || 0),
  );
  expect(operations.length - sets.length).toBe(stock.flatMap(({ adjust }) => adjust).length);
  const quantities = new Map(before);
  for (const { sku, amount, adjusts } of operations)
    quantities.set(sku, amount + (adjusts ? Number(quantities.get(sku)) : 0));
  const rows = await rowsOf('SELECT id, quantity FROM catalog.skus');
  expect(new Map(rows.map(({ id, quantity }) => [id, quantity]))).toEqual(quantities);
  expect(await rowsOf('SELECT * FROM catalog_log.stock_rejects')).toEqual([]);
}

/** @param {any[]} changes @param {string} start cursor */
async function expectWholeFeed(changes, start) {
  const cursors = changes.map(({ cursor }) => cursor.split('.').map(Number));
  const isAfter = (/** @type {number[]} */ [, a, b], /** @type {number[]} */ [, c, d]) => a > c || (a === c && b > d);
  cursors
    .slice(1)
    .forEach((cursor, index) => expect([cursor, isAfter(cursor, cursors[index])]).toEqual([cursor, true]));
  const seen = new Set(cursors.map(([, seq]) => seq));
  const [, first] = start.split('.').map(Number);
  const commits = await rowsOf(
    `
    SELECT seq::int FROM catalog_log.commits
    WHERE seq > $1 AND (is_whole OR cardinality(created || updated || deleted || restocked) > 0)`,
    [first],
  );
  expect(commits.filter(({ seq }) => !seen.has(seq))).toEqual([]);
}

/** Both workers serve what the rows say. @param {string} head cursor */
async function expectServed(head) {
  const ids = (await rowsOf('SELECT id FROM catalog.products ORDER BY id')).map(({ id }) => id);
  const read = async (/** @type {string} */ url) => {
    const reply = await fetch(url, { headers: { 'Catalog-Min-Cursor': head } });
    return [reply.status, await reply.json()];
  };
  for (const id of ids) {
    const { body: written } = await callerOf(aWriter(), key)('GET', `/products/${id}`);
    const skus = await rowsOf(
      `SELECT skus.id, greatest(quantity, 0) AS quantity FROM catalog.skus JOIN catalog.styles ON styles.id = style_id
      WHERE product_id = $1`,
      [id],
    );
    for (const { url } of workers) {
      const [status, product] = await read(`${url}/products/${id}`);
      expect([status, product]).toEqual([
        200,
        expect.objectContaining({ slogan: written.slogan, updated_at: written.updated_at }),
      ]);
      const [, styles] = await read(`${url}/products/${id}/styles`);
      const shown = styles.results.flatMap((/** @type {any} */ style) =>
        Object.entries(style.skus).map(([sku, own]) => [sku, /** @type {any} */ (own).quantity]),
      );
      const { null: none, ...quantities } = Object.fromEntries(shown); // a style without skus shows null
      expect([quantities, none ?? null]).toEqual([Object.fromEntries(skus.map((sku) => [sku.id, sku.quantity])), null]);
    }
  }
}

test('whatever is killed, frozen or loaded again, each acknowledged write is done once', async () => {
  const [{ head: start }] = await rowsOf("SELECT era || '.' || seq AS head FROM catalog_log.head");
  const products = (await rowsOf('SELECT id FROM catalog.products ORDER BY id LIMIT 40')).map(({ id }) => id);
  const stocked = await rowsOf('SELECT id, quantity FROM catalog.skus ORDER BY id');
  const skus = stocked.slice(0, 200).map(({ id }) => id);
  const place = { url: aWriter, key, products, skus };
  const history = writeHistory(place);
  const followers = Array.from({ length: FOLLOWERS }, () => followFeed(place, start));
  for (const [name, fault] of faultsOf(start)) {
    await history.more(MORE);
    await fault().catch((error) => {
      throw new Error(`${name}: ${error.message}`);
    });
  }
  await history.more(MORE);
  await history.stop();
  await until(async () => {
    const [{ done }] = await rowsOf(
      'SELECT (SELECT pos FROM catalog_log.stock_head) = (SELECT pos FROM catalog_log.stock_applied) AS done',
    );
    return done;
  });
  expect(withCauses(history.errors)).toEqual([]);
  await expectPatchesInLog(history);
  await expectStockInLog(history, new Map(stocked.map(({ id, quantity }) => [id, quantity])));
  const [{ head }] = await rowsOf("SELECT era || '.' || seq AS head FROM catalog_log.head");
  for (const follower of followers) await follower.stopAt(head);
  for (const { changes } of followers) await expectWholeFeed(changes, start);
  expect(followers[1].changes).toEqual(followers[0].changes);
  await expectServed(head);
  await runOrThrow(runLoader('verify', '--served'), loaderEnv(), { keepOutput: true });
}, 600_000);
