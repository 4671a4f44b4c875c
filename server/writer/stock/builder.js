'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const { changedIds } = require('../writes/record');
const { readServed } = require('../database/served');
const statements = require('../database/statements');
const { inTransaction, queryOn } = require('../database/transaction');

/** Products that are restocked often are built once. */
const SETTLED_AFTER_S = 30;
const PASS_MS = 30_000;
const WAIT_MS = 1000;
/** It works a quarter of the time. */
const PAUSE_SHARE = 3;

/** Builds stale styles replies, whose readers have them made live, while no operation waits to be applied. */
class StockBuilder {
  stale = 0;
  #database;
  #offsets;
  #events;
  #settledAfterS;
  #passMs;
  #closing = new AbortController();
  /** @type {Promise<void>} */
  #running = Promise.resolve();

  /**
   * @param {object} parts
   * @param {import('../database/writer-database').WriterDatabase} parts.database
   * @param {import('./offsets').StockOffsets} parts.offsets
   * @param {import('../../core/events').Events} parts.events
   * @param {number} [parts.settledAfterS] @param {number} [parts.passMs] between the starts of two passes
   */
  constructor({ database, offsets, events, settledAfterS = SETTLED_AFTER_S, passMs = PASS_MS }) {
    this.#database = database;
    this.#offsets = offsets;
    this.#events = events;
    this.#settledAfterS = settledAfterS;
    this.#passMs = passMs;
  }

  open() {
    this.#running = this.#run();
  }

  async close() {
    this.#closing.abort();
    await this.#running;
  }

  async #run() {
    for (;;) {
      await this.#pause(this.#passMs);
      if (this.#closing.signal.aborted) return;
      try {
        await this.#pass();
      } catch (error) {
        this.#events.emit('stockFailed', 'build', /** @type {Error} */ (error));
      }
    }
  }

  /** Through all products that are stale now, in the order of their ids. */
  async #pass() {
    const [{ stale, settled }] = await this.#read(statements.stockBacklog, [this.#settledAfterS]);
    this.stale = stale;
    for (let after = 0; this.stale > 0;) {
      while (this.#offsets.unapplied > 0 && !this.#closing.signal.aborted) await this.#pause(WAIT_MS);
      if (this.#closing.signal.aborted) return;
      const startedMs = performance.now();
      const [{ ids, seen }] = await this.#read(statements.stockStale, [after, settled]);
      if (ids.length === 0) return;
      await this.#database.on('stock-build', (client) => build(client, ids, seen));
      this.stale -= ids.length;
      after = ids.at(-1);
      await this.#pause((performance.now() - startedMs) * PAUSE_SHARE);
    }
  }

  /** @param {import('../database/statements').Statement} statement @param {unknown[]} values */
  #read(statement, values) {
    return this.#database.on('stock-build', (client) => queryOn(client)(statement, values));
  }

  /** @param {number} ms */
  async #pause(ms) {
    await pause(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
  }
}

/** @param {import('pg').Client} client @param {number[]} ids @param {string} seen the last commit before */
const build = (client, ids, seen) =>
  inTransaction(
    client,
    async (query) => (await Promise.all([readServed(query), query(statements.lockProducts, [ids])]))[0],
    async ({ load_id: loadId, campus, now }, query) => {
      const [rebuilt] = await Promise.all([
        query(statements.rebuild, [ids, campus, loadId, now]),
        query(statements.stockBuild, [ids, seen]),
      ]);
      // Content differs only if another release wrote its rows.
      if (rebuilt.some(({ kind }) => kind !== 'restocked'))
        await query(statements.commit, [loadId, ...changedIds(rebuilt), '[]', '[]', seen]);
    },
  );

exports.StockBuilder = StockBuilder;
