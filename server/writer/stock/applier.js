'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const statements = require('../database/statements');
const { applyStock, settledBy } = require('./apply');

/** @typedef {import('./apply').Applied} Applied @typedef {import('./apply').Settled} Settled */
/** @typedef {{ first: number, last: number, resolve: (settled: Settled) => void }} Waiter */

/** Unless a client waits, operations are applied after this, or when there are so many. */
const FLUSH_MS = 1000;
const FLUSH_OPERATIONS = 10_000;
const RETRY_MS = 100;
/** A stop applies what is logged, so that a load that follows finds it in the rows, but not for longer than this. */
const LAST_MS = 1000;

/** Applies the log of stock, in the background of all requests. */
class StockApplier {
  /** @type {Set<Waiter>} */
  #waiters = new Set();
  #database;
  #offsets;
  #events;
  /** @type {PromiseWithResolvers<void>} */
  #wakeUp = Promise.withResolvers();
  /** @type {NodeJS.Timeout | undefined} */
  #ticking;
  /** @type {Promise<void>} */
  #running = Promise.resolve();
  #closed = false;

  /**
   * @param {object} parts
   * @param {import('../database/writer-database').WriterDatabase} parts.database
   * @param {import('./offsets').StockOffsets} parts.offsets
   * @param {import('../../core/events').Events} parts.events
   */
  constructor({ database, offsets, events }) {
    this.#database = database;
    this.#offsets = offsets;
    this.#events = events;
  }

  open() {
    this.#ticking = setInterval(() => void this.#tick(), FLUSH_MS).unref();
    void this.#tick();
    this.#running = this.#run();
  }

  async close() {
    this.#closed = true;
    clearInterval(this.#ticking);
    this.#wakeUp.resolve();
    await this.#running;
    const untilMs = performance.now() + LAST_MS;
    while (this.#offsets.unapplied > 0 && performance.now() < untilMs && (await this.#apply()));
  }

  /** Operations were logged. */
  logged() {
    if (this.#offsets.unapplied >= FLUSH_OPERATIONS) this.#wakeUp.resolve();
  }

  /**
   * Waits for the operations up to an offset, and has them applied at once. What this process knows of the offsets is not asked: a
   * database that was restored may be behind it.
   * @param {number} last offset @param {number} count of operations @param {number} timeoutMs
   * @returns {Promise<Settled | 'late'>}
   */
  settled(last, count, timeoutMs) {
    const { promise, resolve } = Promise.withResolvers();
    const waiter = { first: last - count + 1, last, resolve };
    const timer = setTimeout(() => {
      this.#waiters.delete(waiter);
      resolve('late');
    }, timeoutMs);
    this.#waiters.add(waiter);
    this.#wakeUp.resolve();
    return promise.finally(() => clearTimeout(timer));
  }

  async #tick() {
    await this.#look();
    if (this.#offsets.unapplied > 0) this.#wakeUp.resolve();
  }

  /** Another writer appends and applies, too. */
  async #look() {
    const { applied } = this.#offsets;
    const [row] = await this.#database.read(statements.stockOffsets).catch(() => []);
    if (row && applied === this.#offsets.applied) this.#offsets.look(row); // not older than what an apply has set
  }

  async #run() {
    while (!this.#closed) {
      await this.#wakeUp.promise;
      this.#wakeUp = Promise.withResolvers();
      const hasApplied = await this.#apply();
      if (this.#waiters.size === 0 && this.#offsets.unapplied < FLUSH_OPERATIONS) continue;
      if (!hasApplied && !this.#closed) await pause(RETRY_MS);
      this.#wakeUp.resolve();
    }
  }

  /** @returns {Promise<boolean>} whether there was something to apply, and it is */
  async #apply() {
    const startedMs = performance.now();
    try {
      const applied = await this.#database.on('stock-apply', (client) =>
        applyStock(client, () => this.#waiters.size > 0),
      );
      this.applied(applied, performance.now() - startedMs);
      return applied.operations > 0;
    } catch (error) {
      this.#events.emit('stockFailed', 'apply', /** @type {Error} */ (error));
      return false;
    }
  }

  /** A transaction has applied operations. @param {Applied} applied @param {number} ms that it took */
  applied(applied, ms) {
    this.#offsets.applied = applied.to;
    for (const waiter of this.#waiters) {
      if (waiter.last > applied.to) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(settledBy(applied, waiter.first, waiter.last));
    }
    if (this.#offsets.unapplied > 0) void this.#look(); // for the age of what is left
    if (applied.operations === 0) return;
    this.#database.ring();
    this.#events.emit('stockApplied', applied.operations, applied.rejected, ms);
  }
}

exports.StockApplier = StockApplier;
