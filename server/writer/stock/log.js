'use strict';

const { overloaded, unavailable } = require('../../errors');
const statements = require('../store/statements');
const { queryOn, toProblem } = require('../store/transaction');
const { reused } = require('../store/write-group');

/** @typedef {import('./operations').Operations} Operations */
/** @typedef {Operations & { keyId: string, actor: string, idempotency: { key: string, fingerprint: string } | null }} Request */
/** @typedef {{ request: Request, resolve: (position: number) => void, reject: (error: unknown) => void }} Waiting */

/** A row of the log has no more, so that one transaction can apply it. */
const MAX_ROW = 10_000;
const MAX_WAITING = 20_000;
/** unique_violation: another writer logs a request with the same key. The second try finds it. */
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
  #logged;

  /**
   * @param {Pick<import('../store/database').WriterDatabase, 'on'>} database
   * @param {(position: number, operations: number, ms: number) => void} logged
   */
  constructor(database, logged) {
    this.#database = database;
    this.#logged = logged;
  }

  /** @param {Request} request @returns {Promise<number>} the position of its last operation, once it is on the disk @throws {Error} 503 */
  add(request) {
    if (this.#operations + request.count > MAX_WAITING) throw overloaded('Too many operations wait to be logged.');
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#waiting.push({ request, resolve, reject });
    this.#operations += request.count;
    if (!this.#running) this.#runAll();
    return promise;
  }

  async #runAll() {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const group = this.#take();
      await this.#run(group);
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

  /** @param {Waiting[]} group @param {boolean} [again] whether it is the second try @returns {Promise<void>} */
  async #run(group, again = false) {
    try {
      await this.#database.on('stock-append', async (client) => {
        const query = queryOn(client);
        const fresh = await this.#answerRepeats(query, group);
        if (fresh.length > 0) await this.#append(query, fresh);
      });
    } catch (cause) {
      if (!again && /** @type {any} */ (cause).code === MET) return this.#run(group, true);
      const error = toProblem(cause);
      for (const { reject } of group) reject(error);
    }
  }

  /** @param {import('../store/transaction').Query} query @param {Waiting[]} group @returns {Promise<Waiting[]>} the others */
  async #answerRepeats(query, group) {
    const keyed = group.filter(({ request }) => request.idempotency);
    if (keyed.length === 0) return group;
    const rows = await query(statements.requests, [
      keyed.map(({ request }) => request.keyId),
      keyed.map(({ request }) => request.idempotency?.key),
    ]);
    const stored = new Map(rows.map((row) => [`${row.key_id} ${row.key}`, row]));
    return group.filter(({ request: { keyId, idempotency }, resolve, reject }) => {
      const known = idempotency && stored.get(`${keyId} ${idempotency.key}`);
      if (!known) return true;
      if (known.fingerprint === idempotency.fingerprint) resolve(JSON.parse(known.body).position);
      else reject(reused());
      return false;
    });
  }

  /** @param {import('../store/transaction').Query} query @param {Waiting[]} group */
  async #append(query, group) {
    const startedMs = performance.now();
    const operations = countOf(group);
    const ends = endsOf(group);
    const [{ pos }] = await query(statements.stockAppend, [
      ...literals(group),
      group.map(({ request }) => request.count),
      group.map(({ request }) => request.actor),
      JSON.stringify(
        group.flatMap(({ request: { keyId, idempotency } }, index) =>
          idempotency ? [{ key_id: keyId, ...idempotency, behind: operations - ends[index] }] : [],
        ),
      ),
    ]).catch((error) => {
      throw error.severity ? error : lost(error); // only the server's own errors have one
    });
    this.#logged(Number(pos), operations, performance.now() - startedMs);
    for (const [index, { resolve }] of group.entries()) resolve(Number(pos) - operations + ends[index]);
  }
}

/** @param {Waiting[]} group */
const countOf = (group) => group.reduce((sum, { request }) => sum + request.count, 0);

/** @param {Waiting[]} group @returns {number[]} how many operations there are up to the end of each request */
function endsOf(group) {
  let end = 0;
  return group.map(({ request }) => (end += request.count));
}

const COLUMNS = /** @type {const} */ (['skus', 'amounts', 'adjusts', 'expected']);
/** @param {Waiting[]} group */
const literals = (group) => COLUMNS.map((name) => `{${group.map(({ request }) => request[name]).join(',')}}`);

/** @param {Error} cause */
const lost = (cause) =>
  unavailable(
    'The database was lost, and the operations may have been logged. Repeat adjusts with the same Idempotency-Key.',
    cause,
  );

exports.StockLog = StockLog;
