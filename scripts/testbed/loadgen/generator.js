'use strict';
const { hash } = require('node:crypto');
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { parentPort, workerData } = require('node:worker_threads');

const { Connection } = require('./connection');
const { flagBits, Samples } = require('./observed');

/*
 * A thread that sends at a constant rate whether or not replies come (an open model): a slow server gets no rest, as with
 * real clients. A request's time counts from the moment it was due, so a wait for a connection or for this thread is
 * included. A closed loop would leave it out ("coordinated omission", G. Tene).
 */

/**
 * @typedef {object} Order
 * @property {{ host: string, port: number }} target
 * @property {number} rate requests a second
 * @property {number} [count] requests in all; default: until it is stopped
 * @property {string[][]} [paths] by kind, drawn at random
 * @property {number[]} [shares] of the kinds, together 1
 * @property {{ file: string, first: number }} [inTurn] instead: a file of paths, requested in their order
 * @property {Record<string, string>} [digests] path → SHA-256 of its Link header, if any, and body; others are not compared
 * @property {number} maxConnections
 * @property {boolean} [pooled] opens all connections first, uses them in turn, and lets a request wait for a free one;
 *   otherwise connections open as needed and a request fails when all are busy
 * @property {boolean} [resend] sends a request again when a server closed the idle connection that it was sent on
 * @property {number} timeoutMs
 * @property {number} [openMs] until a pool must be open
 */

/** @typedef {{ dueMs: number, kind: number, path: string, again?: boolean }} Due a request */

const sweepMs = 100;
const usualOpenMs = 10_000;
const keptFailures = 20;
const { timeOrigin } = performance;
const nowMs = () => timeOrigin + performance.now();

/** @param {Order} order @returns {(dueMs: number) => Due} */
function chooser({ inTurn, paths = [], shares = [1] }) {
  if (inTurn) {
    const lines = fs.readFileSync(inTurn.file, 'utf8').trimEnd().split('\n');
    let next = inTurn.first;
    return (dueMs) => ({ dueMs, kind: 0, path: lines[next++ % lines.length] });
  }
  return (dueMs) => {
    let left = Math.random();
    const drawn = shares.findIndex((share) => (left -= share) < 0);
    const kind = Math.max(0, drawn);
    return { dueMs, kind, path: paths[kind][Math.floor(Math.random() * paths[kind].length)] };
  };
}

class Generator {
  #samples = new Samples();
  /** @type {string[]} */
  #failures = [];
  /** @type {Connection[]} */
  #free = [];
  /** @type {Map<Connection, number>} with the time at which each gives up */
  #busy = new Map();
  /** @type {Due[]} for a free connection */
  #waiting = [];
  /** @type {Order} */
  #order = workerData.order;
  #choose = chooser(this.#order);
  #startedMs = NaN;
  #stopping = false;

  /** @param {(result: { columns: import('./observed').Columns, failures: string[] }) => void} done */
  async run(done) {
    if (this.#order.pooled) await this.#openPool();
    this.#startedMs = nowMs();
    const sweep = setInterval(() => {
      this.#giveUpLate();
      if (!this.#stopping || this.#busy.size + this.#waiting.length > 0) return;
      clearInterval(sweep);
      this.#free.forEach((connection) => connection.destroy());
      done({ columns: this.#samples.take(), failures: this.#failures });
    }, sweepMs);
    this.#sendDue(0);
  }

  stop() {
    this.#stopping = true;
  }

  async #openPool() {
    const { target, maxConnections, openMs = usualOpenMs } = this.#order;
    const untilMs = nowMs() + openMs;
    while (this.#free.length < maxConnections || this.#free.some(({ opened }) => !opened)) {
      if (nowMs() > untilMs) throw new Error(`port ${target.port} does not take ${maxConnections} connections`);
      this.#free = this.#free.filter(({ closed }) => !closed);
      while (this.#free.length < maxConnections) this.#free.push(new Connection(target));
      await sleep(1);
    }
  }

  /** @param {number} sent */
  #sendDue(sent) {
    const { rate, count = Infinity } = this.#order;
    const due = Math.min(count, ((nowMs() - this.#startedMs) * rate) / 1000);
    for (; sent < due; sent += 1) this.#dispatch(this.#choose(this.#startedMs + (sent * 1000) / rate));
    Atomics.store(workerData.sent, 0, sent);
    if (sent >= count) this.stop();
    if (!this.#stopping) setTimeout(() => this.#sendDue(sent), 1);
  }

  /** @param {Due} due */
  #dispatch(due) {
    const connection = this.#takeConnection();
    if (connection) this.#send(connection, due);
    else if (this.#order.pooled) this.#waiting.push(due);
    else this.#add(due, 0, flagBits.unsent, () => 'every connection is busy');
  }

  /**
   * Of a pool the one that is idle the longest: nginx closes one that is idle for 5 s, perhaps with a request on its way.
   * Otherwise the last one used, so that those which a burst needed end.
   */
  #takeConnection() {
    const { pooled, target, maxConnections } = this.#order;
    while (this.#free.length > 0) {
      const found = pooled ? this.#free.shift() : this.#free.pop();
      if (found && !found.closed) return found;
    }
    return this.#busy.size < maxConnections ? new Connection(target) : null;
  }

  /** @param {Connection} connection @param {Due} due */
  #send(connection, due) {
    this.#busy.set(connection, nowMs() + this.#order.timeoutMs);
    connection.send(`GET ${due.path} HTTP/1.1\r\nHost: ${this.#order.target.host}\r\n\r\n`, (reply) => {
      this.#busy.delete(connection);
      if (reply && !connection.closed) this.#free.push(connection);
      if (reply) this.#judge(due, reply);
      // RFC 9112 §9.3.1: a connection that was idle may end just as it is used; a GET may then be sent once more.
      else if (this.#order.resend && connection.endedIdle && !due.again) this.#dispatch({ ...due, again: true });
      else this.#add(due, 0, 0, () => connection.problem);
      const next = this.#waiting.shift();
      if (next) this.#dispatch(next);
    });
  }

  /** @param {Due} due @param {import('./connection').Reply} reply */
  #judge(due, { status, head, body }) {
    const wanted = status === 200 ? this.#order.digests?.[due.path] : undefined;
    let flags = 0;
    if (status === 503 && !/\r\nretry-after: \d/i.test(head)) flags = flagBits.noRetryAfter;
    if (wanted !== undefined) {
      const [, link] = /\r\nlink: ([^\r]*)/i.exec(head) ?? [];
      const content = link ? Buffer.concat([Buffer.from(link, 'latin1'), body]) : body;
      if (hash('sha256', content) !== wanted) flags = flagBits.wrongBody;
    }
    const problem = flags & flagBits.wrongBody ? 'a wrong body' : status;
    this.#add(due, status, flags, () => `${problem} ${body.toString('utf8', 0, 200)}`);
  }

  /** @param {Due} due @param {number} status @param {number} flags @param {() => string} problem */
  #add({ dueMs, kind, path }, status, flags, problem) {
    this.#samples.add(dueMs, nowMs() - dueMs, status, kind, flags);
    if ((status === 200 && !flags) || this.#failures.length >= keptFailures) return;
    this.#failures.push(`${new Date(dueMs).toISOString()} ${path}: ${problem()}`);
  }

  #giveUpLate() {
    const atMs = nowMs();
    for (const [connection, untilMs] of this.#busy) if (atMs > untilMs) connection.giveUp();
    while (this.#waiting.length > 0 && atMs > this.#waiting[0].dueMs + this.#order.timeoutMs)
      this.#add(/** @type {Due} */ (this.#waiting.shift()), 0, flagBits.unsent, () => 'no connection was free in time');
  }
}

const generator = new Generator();
parentPort?.once('message', () => generator.stop());
generator.run((result) => {
  const buffers = Object.values(result.columns).map(({ buffer }) => /** @type {ArrayBuffer} */ (buffer));
  parentPort?.postMessage(result, buffers);
});
