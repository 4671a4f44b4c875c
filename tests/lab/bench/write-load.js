'use strict';
const http = require('node:http');
const { once } = require('node:events');
const { text } = require('node:stream/consumers');
const { setTimeout: sleep } = require('node:timers/promises');
const { interrupted } = require('./running');

/** What a 503 asks for. */
const retryMs = 1000;

/** @typedef {{ method: string, path: string, headers?: Record<string, string>, body: string, count: number, acknowledged?: () => void }} Write `count` operations */
/** @typedef {{ port: number, key: string }} Target */

/**
 * @param {Target} target @param {Pick<Write, 'method' | 'path'> & Partial<Write>} write @param {http.Agent} [agent]
 * @returns {Promise<{ status: number, body: string }>} @throws {Error} when the connection ends
 */
async function request({ port, key }, { method, path, headers, body }, agent) {
  const own = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers };
  const sent = http.request({ host: '127.0.0.1', port, method, path, agent, headers: own, signal: interrupted });
  sent.end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: await text(response) };
}

/**
 * Sends writes over kept connections: the next one when the last is answered, or at a constant rate.
 * @param {Target} target @param {{ connections: number, seconds: number, rate?: number }} options @param {() => Write} next
 */
async function sendWrites(target, { connections, seconds, rate = Infinity }, next) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  /** @type {number[]} */
  const latenciesMs = [];
  let [sent, acknowledged, refused, errors] = [0, 0, 0, 0];
  async function sendInTurn() {
    for (;;) {
      const dueMs = Math.max(startedMs + (sent / rate) * 1000, performance.now());
      sent += 1;
      if (dueMs >= endMs || interrupted.aborted) return;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      const [write, beganMs] = [next(), performance.now()];
      const { status } = await request(target, write, agent).catch(() => ({ status: 0 }));
      latenciesMs.push(performance.now() - beganMs);
      if (status === 503) {
        refused += write.count;
        await sleep(retryMs);
      } else if (status >= 200 && status < 300) {
        acknowledged += write.count;
        write.acknowledged?.();
      } else errors += 1;
    }
  }
  await Promise.all(Array.from({ length: connections }, sendInTurn));
  agent.destroy();
  const elapsed = (performance.now() - startedMs) / 1000;
  latenciesMs.sort((a, b) => a - b);
  const p99Ms = latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? NaN;
  return { acknowledged, refused, errors, rps: acknowledged / elapsed, p99Ms, elapsed };
}

module.exports = { request, sendWrites };
