'use strict';

const { cursorText } = require('../../core/commit-cursor');
const { readServed } = require('../database/served');
const statements = require('../database/statements');
const { StockApplier } = require('./applier');
const { settledBy } = require('./apply');
const { StockBuilder } = require('./builder');
const { StockLog } = require('./log');
const { pointerOf } = require('./operations');
const { StockOffsets } = require('./offsets');

/** @typedef {import('./log').Request} Request @typedef {import('./apply').Reject} Reject */
/** @typedef {Pick<Reject, 'sku' | 'reason' | 'quantity'> & { pointer: string }} Rejected */
/** @typedef {{ position: number, operations: number, applied: { cursor: string, rejected: Rejected[] } | null }} Outcome applied: null: only logged */

/** Then a client is told that its operations are logged. It fits into a drain, with the append before it. */
const WAIT_MS = 3000;

/** Quantities: requests are logged, and the log is applied. */
class Stock {
  offsets = new StockOffsets();
  #database;
  #log;
  #applier;
  #builder;

  /** @param {import('../database/writer-database').WriterDatabase} database @param {import('../../core/events').Events} events */
  constructor(database, events) {
    this.#database = database;
    this.#applier = new StockApplier({ database, offsets: this.offsets, events });
    this.#builder = new StockBuilder({ database, offsets: this.offsets, events });
    this.#log = new StockLog({
      database,
      offsets: this.offsets,
      logged: (offset, operations, ms) => {
        this.offsets.logged = offset;
        this.#applier.logged();
        events.emit('stockLogged', operations, ms);
      },
      applied: (applied, ms) => this.#applier.applied(applied, ms),
    });
  }

  open() {
    this.#applier.open();
    this.#builder.open();
  }

  async close() {
    await Promise.all([this.#applier.close(), this.#builder.close()]);
  }

  get stale() {
    return this.#builder.stale;
  }

  /**
   * @param {Request} request @param {boolean} waits whether until it is applied, if that does not take too long
   * @returns {Promise<Outcome>} once it is on the disk @throws {import('../../core/errors').Problem}
   */
  async write(request, waits) {
    this.offsets.requireRoom();
    const { offset: position, applied } = await this.#log.add(request, waits);
    const { count: operations, sets } = request;
    const settled = applied
      ? settledBy(applied, position - operations + 1, position)
      : waits
        ? await this.#applier.settled(position, operations, WAIT_MS)
        : 'late';
    if (settled === 'late') return { position, operations, applied: null };
    if (settled === null) return this.#outcome({ position, operations, sets });
    return { position, operations, applied: { ...settled, rejected: rejectedOf(settled.rejects, position, request) } };
  }

  /** @param {number} position of any of its operations @returns {Promise<Outcome | null>} null: no such request */
  async read(position) {
    const [row] = await this.#database.read(statements.stockRequest, [position]);
    if (!row) return null;
    const request = { position: Number(row.position), operations: row.operations, sets: row.sets };
    return row.is_applied ? this.#outcome(request) : { ...request, applied: null };
  }

  /** @param {{ position: number, operations: number, sets: number }} request that is applied @returns {Promise<Outcome>} */
  async #outcome({ position, operations, sets }) {
    const query = this.#database.read.bind(this.#database);
    const [rejects, served] = await Promise.all([
      query(statements.stockRejects, [position - operations + 1, position]),
      readServed(query),
    ]);
    const rejected = rejectedOf(rejects, position, { count: operations, sets });
    return { position, operations, applied: { cursor: cursorText(served), rejected } };
  }
}

/** @param {Reject[]} rejects @param {number} position @param {{ count: number, sets: number }} request @returns {Rejected[]} */
const rejectedOf = (rejects, position, { count, sets }) =>
  rejects.map(({ pos, sku, reason, quantity }) => ({
    pointer: pointerOf(Number(pos) - position + count - 1, sets),
    sku,
    reason,
    quantity,
  }));

exports.Stock = Stock;
