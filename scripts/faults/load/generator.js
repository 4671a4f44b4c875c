'use strict';
const { hash } = require('node:crypto');
const { parentPort, workerData } = require('node:worker_threads');

const { Connection } = require('./connection');
const { flagBits, Samples } = require('./samples');

/*
 * A thread that asks at a constant rate whether or not replies come (an open model): a slow server gets no rest, as
 * from real callers. A request's time counts from the moment it was due, so waiting for a free connection or for this
 * thread counts too; a closed loop would leave that out ("coordinated omission", G. Tene).
 */

/**
 * @typedef {object} Order
 * @property {import('node:net').NetConnectOpts} target
 * @property {number} rate requests a second
 * @property {string[][]} paths by kind
 * @property {number[]} shares of the kinds, together 1
 * @property {Record<string, string>} truth path → SHA-256 of its Link header, if any, and body; paths that it lacks are not compared
 * @property {number} maxConnections when all are busy, a request fails
 * @property {number} timeoutMs
 */

const sweepMs = 100;
const nowMs = () => performance.timeOrigin + performance.now();

/** @param {Order} order */
function generate({ target, rate, paths, shares, truth, maxConnections, timeoutMs }) {
  const samples = new Samples();
  /** @type {Connection[]} */
  const free = [];
  /** @type {Map<Connection, number>} with the time at which each gives up */
  const busy = new Map();
  const startedMs = nowMs();
  let sent = 0;
  let stopping = false;

  /** @returns {number} */
  function drawKind() {
    let left = Math.random();
    return Math.max(
      0,
      shares.findIndex((share) => (left -= share) < 0),
    );
  }

  /** @param {import('./connection').Reply} reply @param {string} path */
  function flagsOf({ status, head, body }, path) {
    if (status === 503) return /\r\nretry-after: \d/i.test(head) ? 0 : flagBits.noRetryAfter;
    const wanted = status === 200 ? truth[path] : undefined;
    if (wanted === undefined) return 0;
    const [, link] = /\r\nlink: ([^\r]*)/i.exec(head) ?? [];
    const said = link ? Buffer.concat([Buffer.from(link, 'latin1'), body]) : body;
    return hash('sha256', said) === wanted ? 0 : flagBits.wrongBody;
  }

  /** @returns {Connection | null} */
  function connection() {
    for (let found = free.pop(); found; found = free.pop()) if (!found.closed) return found;
    return busy.size < maxConnections ? new Connection(target) : null;
  }

  /** @param {number} dueMs @param {number} kind @param {string} path @param {boolean} again */
  function ask(dueMs, kind, path, again) {
    const used = connection();
    if (!used) return samples.add(dueMs, nowMs() - dueMs, 0, kind, 0);
    busy.set(used, nowMs() + timeoutMs);
    const request = `GET ${path} HTTP/1.1\r\nHost: catalog\r\n\r\n`;
    used.ask(request, (reply) => {
      busy.delete(used);
      // RFC 9112 §9.3.1: a connection that was idle may end just as it is used; a GET is then sent once more.
      if (!reply && used.endedIdle && !again) return ask(dueMs, kind, path, true);
      const flags = reply ? flagsOf(reply, path) : 0;
      samples.add(dueMs, nowMs() - dueMs, reply?.status ?? 0, kind, flags);
      if (reply) free.push(used);
    });
  }

  function askWhatIsDue() {
    const due = ((nowMs() - startedMs) * rate) / 1000;
    for (; sent < due; sent += 1) {
      const kind = drawKind();
      const path = paths[kind][Math.floor(Math.random() * paths[kind].length)];
      ask(startedMs + (sent * 1000) / rate, kind, path, false);
    }
    if (!stopping) setTimeout(askWhatIsDue, 1);
  }

  const sweep = setInterval(() => {
    const atMs = nowMs();
    for (const [used, untilMs] of busy) if (atMs > untilMs) used.giveUp();
    if (!stopping || busy.size > 0) return;
    clearInterval(sweep);
    free.forEach((used) => used.destroy());
    parentPort?.postMessage(samples.take());
  }, sweepMs);
  parentPort?.once('message', () => (stopping = true));
  askWhatIsDue();
}

generate(/** @type {Order} */ (workerData));
