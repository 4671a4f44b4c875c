'use strict';

const { Client } = require('pg');

const { createRandom } = require('../../scripts/generate/random');
const { startService, until } = require('../helpers/app');
const { createCatalog } = require('../helpers/database');
const { startPair } = require('../helpers/replica');
const { redisUrl } = require('../helpers/servers');
const { stockedProducts, writesOn } = require('../helpers/writes');

/** @typedef {Awaited<ReturnType<typeof startService>>} App */
/** @typedef {{ seq: number, shown: string | null }} State from a commit on: name and quantity; null: no such product */
/** @typedef {{ id: number, path: string, since: number, status: number, text: string, total: string | null }} Reply since: the worker's position before */

const PRODUCTS = 12;
/** Some of them are created and deleted. */
const ids = Array.from({ length: PRODUCTS + 3 }, (_, index) => index + 1);
const STEPS = 250;

/** @param {string} text of a reply with styles or of a product @returns {string} its names must be one */
function shownIn(text) {
  const names = new Set([...text.matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name));
  return `${[...names]} ${/"quantity":(\d+)/.exec(text)?.[1] ?? ''}`;
}

/** The states of each product, in the order of the log. */
class Model {
  /** @type {Map<number, State[]>} */
  states = new Map(ids.map((id) => [id, []]));
  /** @type {Map<number, { name: string, quantity: number }>} */
  now = new Map();

  /** @param {number} seq @param {number} id @param {{ name?: string, quantity?: number } | null} change */
  add(seq, id, change) {
    const before = this.now.get(id) ?? { name: '', quantity: 1 };
    if (change) this.now.set(id, { ...before, ...change });
    else this.now.delete(id);
    const { name, quantity } = this.now.get(id) ?? {};
    this.states.get(id)?.push({ seq, shown: change && `${name} ${quantity}` });
  }

  /** @param {number} seq @param {string} name of the products of a load */
  load(seq, name) {
    for (const id of ids) this.add(seq, id, id <= PRODUCTS ? { name: `${name} ${id}`, quantity: 1 } : null);
  }

  /** A reply shows a state that was not over at the worker's position. @param {Reply} reply */
  allows({ id, path, since, status, text }) {
    const states = this.states.get(id) ?? [];
    const current = states.slice(states.findLastIndex(({ seq }) => seq <= since));
    if (status === 404) return current.some(({ shown }) => shown === null);
    const wanted = shownIn(text);
    // A reply without styles has no quantity.
    return current.some(({ shown }) => shown !== null && (path ? shown === wanted : shown.startsWith(wanted)));
  }
}

describe('three workers with one Redis and a replica, under random writes and loads', () => {
  /** @type {Awaited<ReturnType<typeof startPair>>} */
  let pair;
  /** @type {import('../helpers/database').TestCatalog} */
  let catalog;
  /** @type {Client} */
  let replica;
  /** @type {App[]} */
  const workers = [];
  const prefix = `interleaving-${process.pid}:`;
  const start = () =>
    startService({
      DATABASE_URL: pair.all(catalog.dsn),
      REPLICA_MAX_LAG_MS: 600_000,
      REDIS_URL: redisUrl(),
      REDIS_KEY_PREFIX: prefix,
      VERSION_POLL_MS: 50,
    });
  beforeAll(async () => {
    pair = await startPair();
    catalog = await createCatalog(stockedProducts(PRODUCTS, 'load 1'), pair.primary);
    replica = new Client({ connectionString: pair.replica.at(catalog.superuserDsn) });
    replica.on('error', () => {});
    await until(() => replica.connect().then(Boolean, () => false) ?? true);
    for (let count = 0; count < 3; count += 1) workers.push(await start());
  }, 60_000);
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await replica?.end().catch(() => {});
    await catalog?.client.end().catch(() => {});
    await pair?.stop();
  });

  /** @param {App} worker */
  const seqOf = (worker) => Number(String(worker.service.health().parts.position).split('.')[1]);

  /** @param {App} worker @param {number} id @param {string} path behind its own @returns {Promise<Reply>} */
  async function read(worker, id, path) {
    const since = seqOf(worker);
    const reply = await fetch(`${worker.url}/products/${id}${path}`);
    return { id, path, since, status: reply.status, text: await reply.text(), total: null };
  }

  /** @param {App} worker @returns {Promise<Reply>} */
  async function list(worker) {
    const reply = await fetch(`${worker.url}/products?count=100&include=styles`);
    const total = reply.headers.get('x-total-count');
    return { id: 0, path: '', since: 0, status: reply.status, text: await reply.text(), total };
  }

  test('no reply mixes data or is older than the position of its worker', async () => {
    const below = createRandom(Number(process.env.TEST_SEED ?? 1));
    const model = new Model();
    const writes = writesOn(catalog.client);
    model.load(0, 'load 1');
    let load = 1;
    let paused = false;
    /** @type {Promise<Reply>[]} */
    const reads = [];
    const any = (/** @type {number[]} */ some) => some[below(some.length)];

    const actions = {
      async rename() {
        const id = any([...model.now.keys()]);
        const name = `written ${reads.length}`;
        model.add(await writes.rename(id, name), id, { name });
      },
      async restock() {
        const id = any([...model.now.keys()]);
        const quantity = 2 + reads.length;
        model.add(await writes.restock(id, quantity), id, { quantity });
      },
      async createOrRemove() {
        const id = any(ids.slice(1));
        if (model.now.has(id)) model.add(await writes.remove(id), id, null);
        else model.add(await writes.create(id, 1), id, { .../** @type {{}} */ (model.now.get(1)) });
      },
      async lag() {
        paused = !paused;
        await replica.query(`SELECT pg_wal_replay_${paused ? 'pause' : 'resume'}()`);
      },
      async swap() {
        load += 1;
        await catalog.swap(stockedProducts(PRODUCTS, `load ${load}`), load);
        const { rows } = await catalog.client.query('SELECT seq FROM catalog_log.head');
        model.now.clear();
        model.load(Number(rows[0].seq), `load ${load}`);
      },
      async restart() {
        await Promise.all(reads);
        const [old] = workers.splice(below(3), 1, await start());
        await old.close();
      },
    };
    const { rename, restock, createOrRemove, lag, swap, restart } = actions;
    const often = [rename, rename, restock, restock, createOrRemove];
    for (let step = 0; step < STEPS; step += 1) {
      for (let count = 0; count < 6; count += 1)
        reads.push(
          read(workers[below(3)], any(ids), any([0, 1]) ? '/styles' : ''),
          read(workers[below(3)], any(ids), ''),
        );
      reads.push(list(workers[below(3)]));
      const rare = below(100);
      if (rare < 4) await lag();
      else if (rare === 4) await swap();
      else if (rare < 8) await restart();
      else await often[below(often.length)]();
    }
    const replies = await Promise.all(reads);
    expect(replies.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
    const single = replies.filter(({ id }) => id > 0);
    expect(single.filter((reply) => !model.allows(reply))).toEqual([]);
    for (const { text, total } of replies.filter(({ id }) => id === 0)) {
      const products = JSON.parse(text);
      expect(products.length).toBe(Number(total));
      for (const product of products)
        expect(shownIn(JSON.stringify(product))).toMatch(/^(written \d+|load \d+ \d+) \d+$/);
    }

    const { rows } = await catalog.client.query('SELECT seq FROM catalog_log.head');
    const truth = [...model.now].sort(([a], [b]) => a - b).map(([, { name, quantity }]) => `${name} ${quantity}`);
    for (const worker of workers) {
      await until(() => seqOf(worker) === Number(rows[0].seq));
      const since = seqOf(worker);
      for (const id of ids)
        for (const path of ['', '/styles'])
          expect(model.allows({ ...(await read(worker, id, path)), since })).toBe(true);
      await until(async () => {
        const shown = JSON.parse((await list(worker)).text).map((/** @type {unknown} */ one) =>
          shownIn(JSON.stringify(one)),
        );
        return `${shown}` === `${truth}`;
      });
    }
  }, 120_000);
});
