'use strict';
const { hash } = require('node:crypto');
const fs = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');

const { Connection } = require('./connection');
const { flagBits } = require('./observed');

/*
 * A thread that sends at a constant rate whether or not replies come (an open model): a slow server gets no rest, as with
 * real clients. A request's time counts from the moment it was due, so a wait for this thread is included. A closed loop
 * would leave it out ("coordinated omission", G. Tene).
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
 * @property {number} maxConnections which open as needed; a request fails when all are busy
 * @property {boolean} [resend] sends a request again when a server closed the idle connection that it was sent on
 * @property {number} timeoutMs
 */

/** @typedef {{ dueMs: number, kind: number, path: string, again?: boolean }} Due a request */

const sweepMs = 100;
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

/** @type {{ order: Order, sent: Int32Array }} `sent`: requests so far, for the thread that started this one */
const { order, sent } = workerData;
const choose = chooser(order);
/** @type {import('./observed').Samples} */
const samples = { dueMs: [], tookMs: [], status: [], kind: [], flags: [] };
/** @type {string[]} */
const failures = [];
/** @type {Connection[]} */
const free = [];
/** @type {Map<Connection, number>} with the time at which each gives up */
const busy = new Map();
const startedMs = nowMs();
let stopping = false;

/** @param {number} count of requests so far */
function sendDue(count) {
  if (stopping) return; // the result may have left
  const { rate, count: all = Infinity } = order;
  const due = Math.min(all, ((nowMs() - startedMs) * rate) / 1000);
  for (; count < due; count += 1) dispatch(choose(startedMs + (count * 1000) / rate));
  Atomics.store(sent, 0, count);
  if (count >= all) stopping = true;
  if (!stopping) setTimeout(sendDue, 1, count);
}

/** @param {Due} due */
function dispatch(due) {
  // All idle connections may have ended together, so a repeat opens a new one.
  const connection = due.again ? new Connection(order.target) : takeConnection();
  if (connection) send(connection, due);
  else add(due, 0, flagBits.unsent, () => 'every connection is busy');
}

/** The last one used, so that those which a burst needed end. */
function takeConnection() {
  for (let found = free.pop(); found; found = free.pop()) if (!found.closed) return found;
  return busy.size < order.maxConnections ? new Connection(order.target) : null;
}

/** @param {Connection} connection @param {Due} due */
function send(connection, due) {
  busy.set(connection, nowMs() + order.timeoutMs);
  connection.send(`GET ${due.path} HTTP/1.1\r\nHost: ${order.target.host}\r\n\r\n`, (reply) => {
    busy.delete(connection);
    if (reply && !connection.closed) free.push(connection);
    if (reply) judge(due, reply);
    // RFC 9112 §9.3.1: a connection that was idle may end just as it is used; a GET may then be sent once more.
    else if (order.resend && connection.endedIdle && !due.again) dispatch({ ...due, again: true });
    else add(due, 0, 0, () => connection.problem);
  });
}

/** @param {Due} due @param {import('./connection').Reply} reply */
function judge(due, { status, head, body }) {
  const wanted = status === 200 ? order.digests?.[due.path] : undefined;
  let flags = 0;
  if (status === 503 && !/\r\nretry-after: \d/i.test(head)) flags = flagBits.noRetryAfter;
  if (wanted !== undefined) {
    const [, link] = /\r\nlink: ([^\r]*)/i.exec(head) ?? [];
    const content = link ? Buffer.concat([Buffer.from(link, 'latin1'), body]) : body;
    if (hash('sha256', content) !== wanted) flags = flagBits.wrongBody;
  }
  const problem = flags & flagBits.wrongBody ? 'a wrong body' : status;
  add(due, status, flags, () => `${problem} ${body.toString('utf8', 0, 200)}`);
}

/** @param {Due} due @param {number} status @param {number} flags @param {() => string} problem */
function add({ dueMs, kind, path, again }, status, flags, problem) {
  samples.dueMs.push(dueMs);
  samples.tookMs.push(nowMs() - dueMs);
  samples.status.push(status);
  samples.kind.push(kind);
  samples.flags.push(again ? flags | flagBits.again : flags);
  if ((status === 200 && !flags) || failures.length >= keptFailures) return;
  failures.push(`${new Date(dueMs).toISOString()} ${path}: ${problem()}`);
}

/** Gives up what is late, and returns the result after the last reply. */
function sweep() {
  const atMs = nowMs();
  for (const [connection, untilMs] of busy) if (atMs > untilMs) connection.giveUp();
  if (!stopping || busy.size > 0) return;
  clearInterval(sweeping);
  parentPort?.postMessage({ samples, failures }); // load.js ends this thread
}

parentPort?.once('message', () => (stopping = true));
const sweeping = setInterval(sweep, sweepMs);
sendDue(0);
