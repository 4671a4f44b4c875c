'use strict';

const { createWriteHead } = require('../../http/headers');
const { toProblem } = require('../../http/problem');
const { JSON_POLICY } = require('../../policy');

/** Headers of all replies. */
const COMMON_HEADERS = ['X-Content-Type-Options', 'nosniff'];

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {Record<string, string>} [headers]
 * @property {string} body
 * @property {(res: import('node:http').ServerResponse) => Promise<void>} [follow] writes a body without an end after the head
 */

/**
 * Sends what a handler returns. Nobody may keep it: it is from the database that takes writes, for one holder of a key.
 * @param {object} parts
 * @param {{ draining: boolean }} parts.state
 * @param {import('../../events').Events} parts.events
 */
function createWriteReply({ state, events }) {
  const writeHead = createWriteHead(state);

  /**
   * @param {string} route for metrics
   * @param {(req: import('express').Request, res: import('express').Response) => Promise<Answer>} handle
   * @returns {import('express').RequestHandler}
   */
  return (route, handle) => async (req, res) => {
    const startedMs = performance.now();
    const {
      status,
      headers = {},
      body,
      follow,
    } = await handle(req, res).catch((error) => {
      if (toProblem(error).status >= 500) events.emit('readFailed', route, performance.now() - startedMs);
      throw error;
    });
    const content = body
      ? ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(Buffer.byteLength(body))]
      : [];
    const shared = ['Cache-Control', 'no-store', 'Content-Security-Policy', JSON_POLICY, ...COMMON_HEADERS];
    writeHead(req, res, status, [...Object.entries(headers).flat(), ...content, ...shared]);
    events.emit('replied', route, status, performance.now() - startedMs);
    if (follow && req.method !== 'HEAD') await follow(res);
    else res.end(body);
  };
}

exports.COMMON_HEADERS = COMMON_HEADERS;
exports.createWriteReply = createWriteReply;
