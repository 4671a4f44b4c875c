'use strict';

const { createWriteHead } = require('../../http/replies/headers');
const { toProblem } = require('../../http/replies/problem');
const { JSON_POLICY } = require('../../core/policy');

/** Headers of all replies. */
const COMMON_HEADERS = ['X-Content-Type-Options', 'nosniff'];
const SHARED_HEADERS = ['Cache-Control', 'no-store', 'Content-Security-Policy', JSON_POLICY, ...COMMON_HEADERS];
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {Record<string, string>} [headers]
 * @property {string | null} body null when the handler has sent it
 * @property {(res: import('node:http').ServerResponse) => Promise<void>} [follow] writes a body without an end after the head
 */
/** @typedef {(status: number, headers: Record<string, string>) => void} Begin writes the head of a reply */

/**
 * Sends what a handler returns. Nobody may keep it: it is from the database that takes writes, for one holder of a key.
 * @param {object} parts
 * @param {{ draining: boolean }} parts.state
 * @param {import('../../core/events').Events} parts.events
 */
function createWriteReply({ state, events }) {
  const writeHead = createWriteHead(state);

  /**
   * @param {string} route for metrics
   * @param {(req: import('express').Request, res: import('express').Response, begin: Begin) => Promise<Answer>} handle begin: to send a body itself
   * @returns {import('express').RequestHandler}
   */
  return (route, handle) => async (req, res) => {
    const startedMs = performance.now();
    /** @type {Begin} */
    const begin = (code, own) => writeHead(req, res, code, [...Object.entries(own).flat(), ...SHARED_HEADERS]);
    const {
      status,
      headers = {},
      body,
      follow,
    } = await handle(req, res, begin).catch((error) => {
      if (toProblem(error).status >= 500) events.emit('readFailed', route, performance.now() - startedMs);
      throw error;
    });
    if (body !== null) {
      const length = String(Buffer.byteLength(body));
      begin(status, { ...headers, ...(body && { 'Content-Type': JSON_TYPE, 'Content-Length': length }) });
    }
    events.emit('replied', route, status, performance.now() - startedMs);
    if (follow && req.method !== 'HEAD') await follow(res);
    else if (body !== null) res.end(body);
  };
}

exports.COMMON_HEADERS = COMMON_HEADERS;
exports.createWriteReply = createWriteReply;
