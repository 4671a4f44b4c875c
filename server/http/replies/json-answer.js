'use strict';

const { promisify } = require('node:util');
const zlib = require('node:zlib');

const { JSON_POLICY } = require('../../core/policy');
const { createWriteHead } = require('./headers');
const { toProblem } = require('./problem');
const { acceptsGzip } = require('./validators');

const gzip = promisify(zlib.gzip);
/** As for short bodies: a better compression costs more CPU than it saves bytes. */
const GZIP_LEVEL = 3;

/** @typedef {import('express').Request} Request @typedef {import('express').Response} Response */
/** @typedef {{ status?: number, value?: object, cacheControl?: string }} Answer as JSON; no cache keeps it, unless it says so */

/**
 * Writes what is made for one request: it has no ETag.
 * @param {object} parts
 * @param {string[]} parts.commonHeaders headers that all replies carry
 * @param {{ draining: boolean }} parts.state
 * @param {import('../../core/events').Events} parts.events
 * @param {number} parts.gzipMinBytes
 */
function createAnswer({ commonHeaders, state, events, gzipMinBytes }) {
  const writeHead = createWriteHead(state);

  /** @param {Request} req @param {Response} res @param {Answer} answer */
  async function write(req, res, { status = 200, value, cacheControl = 'no-store' }) {
    const plain = Buffer.from(value === undefined ? '' : JSON.stringify(value));
    const isPacked = plain.length >= gzipMinBytes && acceptsGzip(req.headers['accept-encoding']);
    const body = isPacked ? await gzip(plain, { level: GZIP_LEVEL }) : plain;
    writeHead(req, res, status, [
      ...(value === undefined ? [] : ['Content-Type', 'application/json; charset=utf-8']),
      'Content-Length',
      String(body.length),
      'Content-Security-Policy',
      JSON_POLICY,
      ...(isPacked ? ['Content-Encoding', 'gzip'] : []),
      'Cache-Control',
      cacheControl,
      'Vary',
      'Accept-Encoding',
      ...commonHeaders,
    ]);
    res.end(body);
    return status;
  }

  /**
   * @param {string} route for metrics @param {Request} req @param {Response} res @param {() => Answer | Promise<Answer>} make
   * @throws the failure of a read
   */
  return async (route, req, res, make) => {
    const startedMs = performance.now();
    const sinceMs = () => performance.now() - startedMs;
    try {
      const status = await write(req, res, await make());
      events.emit('replied', route, status, sinceMs());
    } catch (error) {
      if (toProblem(error).status >= 500) events.emit('readFailed', route, sinceMs());
      throw error;
    }
  };
}

exports.createAnswer = createAnswer;
