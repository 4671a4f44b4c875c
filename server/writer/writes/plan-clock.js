'use strict';

const statements = require('../database/statements');

/** @typedef {import('./types').Write} Write */

/** Plans are looked at so often. */
const LOOK_MS = 1000;
/** @type {Write['who']} of no request */
const NOBODY = { keyId: '', actor: '', onBehalf: null, reason: null, requestId: null };

/**
 * Hides and publishes products at the times that were planned, by the clock of the database. Each writer does it: the rows are locked, and what
 * one has done is due no more. So no leader has to be found first when one is killed.
 */
class PlanClock {
  #database;
  #add;
  #events;
  /** @type {NodeJS.Timeout | undefined} */
  #ticking;
  /** @type {Promise<void> | null} */
  #running = null;
  #closed = false;

  /**
   * @param {object} parts
   * @param {Pick<import('../database/writer-database').WriterDatabase, 'read'>} parts.database
   * @param {(write: Write) => Promise<unknown>} parts.add to the queue
   * @param {import('../../core/events').Events} parts.events
   */
  constructor({ database, add, events }) {
    this.#database = database;
    this.#add = add;
    this.#events = events;
  }

  open() {
    this.#ticking = setInterval(() => {
      this.#running ??= this.#look()
        .catch((error) => void this.#events.emit('planFailed', error))
        .finally(() => (this.#running = null));
    }, LOOK_MS).unref();
  }

  async close() {
    this.#closed = true;
    clearInterval(this.#ticking);
    await this.#running;
  }

  async #look() {
    while (!this.#closed) {
      const ids = (await this.#database.read(statements.due)).map(({ id }) => id);
      if (ids.length === 0) return;
      await this.#add({
        kind: 'due',
        id: null,
        body: ids,
        size: 0,
        ifMatch: undefined,
        ifDeleted: false,
        who: NOBODY,
        idempotency: null,
      });
    }
  }
}

exports.PlanClock = PlanClock;
