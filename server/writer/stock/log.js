'use strict';

const { setImmediate: turn } = require('node:timers/promises');

const { overloaded } = require('../../core/errors');
const { WRITE_PROBLEMS, keyReused } = require('../errors');
const statements = require('../database/statements');
const { queryOn, toProblem } = require('../database/transaction');
const { appendRow } = require('./append');
const { logAndApply } = require('./apply');

/** @typedef {import('./operations').Operations} Operations @typedef {import('./apply').Applied} Applied */
/** @typedef {Operations & { keyId: string, actor: string, idempotency: { key: string, fingerprint: string } | null }} Request */
/** @typedef {{ offset: number, applied: Applied | null }} Logged the offset of its last operation; what applied it in the same transaction */
/** @typedef {{ request: Request, waits: boolean, resolve: (logged: Logged) => void, reject: (error: unknown) => void }} Waiting */

/** A row of the log has no more, so that one transaction can apply it. */
const MAX_ROW = 10_000;
const MAX_WAITING = 20_000;
/** unique_violation: another writer has logged a request with the same key. The next try finds it. */
const MET = '23505';

/**
 * Appends requests to the log of stock. It gathers them while a row is being written, so many share a flush of the disk.
 */
class StockLog {
  /** @type {Waiting[]} */
  #waiting = [];
  #operations = 0;
  #running = false;
  #database;
  #offsets;
  #logged;
  #applied;

  /**
   * @param {object} parts
   * @param {Pick<import('../database/writer-database').WriterDatabase, 'on'>} parts.database
   * @param {Pick<import('./offsets').StockOffsets, 'unapplied'>} parts.offsets
   * @param {(offset: number, operations: number, ms: number) => void} parts.logged
   * @param {(applied: Applied, ms: number) => void} parts.applied
   */
  constructor({ database, offsets, logged, applied }) {
    this.#database = database;
    this.#offsets = offsets;
    this.#logged = logged;
    this.#applied = applied;
  }

  /**
   * @param {Request} request @param {boolean} waits whether until it is applied
   * @returns {Promise<Logged>} once it is on the disk @throws {Error} 503
   */
  add(request, waits) {
    if (this.#operations + request.count > MAX_WAITING) throw overloaded('Too many operations wait to be logged.');
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#waiting.push({ request, waits, resolve, reject });
    this.#operations += request.count;
    if (!this.#running) this.#runAll();
    return promise;
  }

  async #runAll() {
    this.#running = true;
    await turn(); // with those that have come at the same moment
    while (this.#waiting.length > 0) {
      const group = this.#take();
      // One flush is enough when all wait, and nothing is before them. Others are not to wait for that.
      const isTogether = group.every(({ waits }) => waits) && this.#offsets.unapplied === 0;
      await this.#run(group, isTogether);
      this.#operations -= countOf(group);
    }
    this.#running = false;
  }

  #take() {
    let [size, operations] = [0, 0];
    for (const { request } of this.#waiting) {
      if (operations + request.count > MAX_ROW) break;
      operations += request.count;
      size += 1;
    }
    return this.#waiting.splice(0, size);
  }

  /** @param {Waiting[]} group @param {boolean} isTogether @param {boolean} [hasMet] another writer, in the try before @returns {Promise<void>} */
  async #run(group, isTogether, hasMet = false) {
    let fresh = group;
    try {
      await this.#database.on('stock-append', async (client) => {
        fresh = await this.#answerRepeats(client, group);
        if (fresh.length > 0) await this.#append(client, fresh, isTogether);
      });
    } catch (cause) {
      // Operations that cannot be applied now are logged, as if others were before it.
      if (isTogether && isUndone(cause)) return this.#run(fresh, false);
      // It may meet another one for each key, and finds at least that one in the next try.
      const isFound = !hasMet || fresh.length < group.length;
      if (/** @type {any} */ (cause).code === MET && isFound) return this.#run(fresh, false, true);
      const error = toProblem(cause);
      for (const { reject } of group) reject(error);
    }
  }

  /** @param {import('pg').Client} client @param {Waiting[]} group @returns {Promise<Waiting[]>} the others */
  async #answerRepeats(client, group) {
    const keyed = group.filter(({ request }) => request.idempotency);
    if (keyed.length === 0) return group;
    const rows = await queryOn(client)(statements.requests, [
      keyed.map(({ request }) => request.keyId),
      keyed.map(({ request }) => request.idempotency?.key),
    ]);
    const stored = new Map(rows.map((row) => [`${row.key_id} ${row.key}`, row]));
    return group.filter(({ request: { keyId, idempotency }, resolve, reject }) => {
      const known = idempotency && stored.get(`${keyId} ${idempotency.key}`);
      if (!known) return true;
      const isSame = known.fingerprint === idempotency.fingerprint;
      if (isSame) resolve({ offset: Number(known.position), applied: null });
      else reject(keyReused());
      return false;
    });
  }

  /** @param {import('pg').Client} client @param {Waiting[]} group @param {boolean} isTogether */
  async #append(client, group, isTogether) {
    const startedMs = performance.now();
    const requests = group.map(({ request }) => request);
    const append = (/** @type {import('../database/transaction').Query} */ query) => appendRow(query, requests);
    const { appended, applied } = isTogether
      ? await logAndApply(client, append)
      : { appended: await append(queryOn(client)), applied: null };
    const ms = performance.now() - startedMs;
    this.#logged(appended.last, countOf(group), ms);
    if (applied) this.#applied(applied, ms);
    const isApplied = applied !== null && applied.to >= appended.last;
    for (const [index, { resolve }] of group.entries())
      resolve({ offset: appended.ends[index], applied: isApplied ? applied : null });
  }
}

/** Says whether a transaction was certainly rolled back, by the server or before its commit. @param {any} error */
const isUndone = ({ severity, kind }) => severity !== undefined || kind === WRITE_PROBLEMS.writesPaused;

/** @param {Waiting[]} group */
const countOf = (group) => group.reduce((sum, { request }) => sum + request.count, 0);

exports.StockLog = StockLog;
