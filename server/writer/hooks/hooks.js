'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const { cursorText } = require('../../core/commit-cursor');
const { queryOn } = require('../database/transaction');
const statements = require('../database/statements');
const { Delivery } = require('./delivery');

/** @typedef {import('./batch').Hook} Hook */
/** @typedef {{ client: import('pg').Client, end: AbortController }} Term in which a writer leads: the connection with the lock, and its end */

/** The leader looks for commits of others so often; those of this writer wake it. */
const POLL_MS = 250;
/** Writes that come together go out together. */
const GATHER_MS = 100;
/** A writer tries to become the leader so often, and one without hooks looks for the first. */
const IDLE_MS = 1000;

/** The hooks. Of all writers, the one whose session has the lock sends to them; each hook has a run of its own, so a slow one delays no other. */
class Hooks {
  /** As they were read last; none while another writer leads. @type {Hook[]} */
  list = [];
  #database;
  #delivery;
  #events;
  /** @type {Term | null} */
  #term = null;
  /** @type {Map<string, Promise<void>>} */
  #runs = new Map();
  #wakeUp = new AbortController();
  #closed = false;
  /** @type {Promise<void>} */
  #running = Promise.resolve();

  /** @param {import('./delivery').Parts} parts */
  constructor(parts) {
    this.#database = parts.database;
    this.#events = parts.events;
    this.#delivery = new Delivery(parts);
  }

  /** True while this writer sends. */
  get leads() {
    return this.#term !== null;
  }

  open() {
    this.#running = this.#run();
  }

  async close() {
    this.#closed = true;
    this.#resign();
    this.#wakeUp.abort();
    await this.#running;
    await Promise.all(this.#runs.values());
  }

  /** There is a new commit. */
  committed() {
    if (this.list.length > 0) this.#wakeUp.abort();
  }

  async #run() {
    while (!this.#closed) {
      this.#wakeUp = new AbortController();
      try {
        await this.#look();
      } catch (error) {
        this.#resign();
        this.#events.emit('hooksFailed', /** @type {Error} */ (error));
      }
      const options = { ref: false, signal: this.#wakeUp.signal };
      await pause(this.list.length > 0 ? POLL_MS : IDLE_MS, undefined, options).catch(() => {});
      if (!this.#closed) await pause(GATHER_MS, undefined, { ref: false });
    }
  }

  async #look() {
    const rows = await this.#database.on('hooks', async (client) => {
      const query = queryOn(client);
      if (client !== this.#term?.client) {
        this.#resign();
        const [{ leads }] = await query(statements.hookLeader);
        if (leads && !this.#closed) this.#term = { client, end: new AbortController() };
      }
      return this.#term ? query(statements.hooks) : [];
    });
    if (this.#closed) return;
    this.list = rows;
    for (const hook of rows) this.#begin(hook, /** @type {Term} */ (this.#term).end.signal);
  }

  /** Another writer may lead from now on. What is under way is cut, since it could arrive after what that one sends. */
  #resign() {
    this.#term?.end.abort();
    this.#term = null;
    this.list = [];
  }

  /** @param {Hook} hook @param {AbortSignal} signal */
  #begin(hook, signal) {
    if (hook.test !== null) this.#start(`test ${hook.id}`, () => this.#delivery.test(hook, signal));
    if (hook.paused === null && hook.is_due && hook.cursor !== cursorText(hook))
      this.#start(String(hook.id), () => this.#delivery.run(hook, signal));
  }

  /** @param {string} name of what runs once at a time @param {() => Promise<void>} work */
  #start(name, work) {
    if (this.#runs.has(name)) return;
    const run = work()
      .catch((error) => void this.#events.emit('hooksFailed', error))
      .finally(() => {
        this.#runs.delete(name);
        this.#wakeUp.abort(); // it may have more
      });
    this.#runs.set(name, run);
  }
}

exports.Hooks = Hooks;
