'use strict';
/*
 * Constant-rate load in an open model: a request is due at its moment whether or not earlier ones were answered, and
 * its latency counts from that moment (wrk2's correction of coordinated omission). On bare sockets, because on two
 * cores the generator takes its CPU from what it measures.
 * Usage: node open-load.js PORT RATE SECONDS PATHS_FILE FIRST_PATH; prints one line of JSON.
 */
const fs = require('node:fs');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');
const { quantile } = require('../lib/quantile');

const connections = 256;
const openMs = 10_000;
const drainMs = 3000;
const [port, rate, seconds, file, first] = process.argv.slice(2);
const requests = fs
  .readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`));

/** @type {number[]} */
const latenciesMs = [];
let errors = 0;
let next = Number(first);
/** @type {number[]} moments of requests that found no idle connection */
const waiting = [];
/** @type {Connection[]} */
const idle = [];

class Connection {
  #dueMs = NaN;
  #missing = 0;
  #head = '';
  #ok = false;
  #socket;

  constructor() {
    this.#socket = net.connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
    this.#socket.on('connect', () => this.#rest());
    this.#socket.on('data', (bytes) => this.#read(bytes));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => this.#closed());
  }

  /** @param {number} dueMs */
  ask(dueMs) {
    this.#dueMs = dueMs;
    this.#socket.write(requests[next % requests.length]);
    next += 1;
  }

  #rest() {
    this.#dueMs = NaN;
    this.#head = '';
    const dueMs = waiting.shift();
    if (dueMs === undefined) idle.push(this);
    else this.ask(dueMs);
  }

  /** @param {Buffer} bytes */
  #read(bytes) {
    if (this.#missing > 0) this.#missing -= bytes.length;
    else this.#readHead(bytes);
    if (this.#missing > 0 || this.#head === '' || !this.#head.includes('\r\n\r\n')) return;
    if (this.#ok) latenciesMs.push(performance.now() - this.#dueMs);
    else errors += 1;
    this.#rest();
  }

  /** @param {Buffer} bytes */
  #readHead(bytes) {
    this.#head += bytes.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head.slice(0, end));
    this.#ok = this.#head.startsWith('HTTP/1.1 200') && length !== null;
    this.#missing = Number(length?.[1] ?? 0) - (this.#head.length - end - 4);
  }

  #closed() {
    if (!Number.isNaN(this.#dueMs)) errors += 1;
    const at = idle.indexOf(this);
    if (at >= 0) idle.splice(at, 1);
    if (!stopping) new Connection();
  }

  end() {
    this.#socket.destroy();
  }
}

let stopping = false;
for (let index = 0; index < connections; index += 1) new Connection();

async function main() {
  const openUntil = performance.now() + openMs;
  while (idle.length < connections) {
    if (performance.now() > openUntil) throw new Error(`port ${port} does not take ${connections} connections`);
    await sleep(1);
  }
  const perMs = Number(rate) / 1000;
  const total = Math.round(Number(rate) * Number(seconds));
  const startedMs = performance.now();
  const momentOf = (/** @type {number} */ due) => startedMs + due / perMs;
  for (let due = 0; due < total; await sleep(momentOf(due) - performance.now())) {
    const now = Math.min(total, (performance.now() - startedMs) * perMs);
    for (; due < now; due += 1) {
      const dueMs = momentOf(due);
      // The one that rested longest: nginx closes a connection that brings no request for 5 s, and one may be on its way then.
      const connection = idle.shift();
      if (connection) connection.ask(dueMs);
      else waiting.push(dueMs);
    }
  }
  const deadline = performance.now() + drainMs;
  while (latenciesMs.length + errors < total && performance.now() < deadline) await sleep(5);
  stopping = true;
  errors = total - latenciesMs.length; // those that were not answered in time too
  const sorted = latenciesMs.sort((a, b) => a - b);
  console.log(JSON.stringify({ p99Ms: quantile(sorted, 0.99), errors, next }));
  process.exit(0);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
