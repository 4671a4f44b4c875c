'use strict';

const { pipeline } = require('node:stream/promises');
const { createGzip } = require('node:zlib');

const { PROBLEMS, Problem } = require('../../core/errors');
const { JSON_POLICY, STALLED_READER_SECONDS } = require('../../core/policy');
const { createWriteHead } = require('./headers');
const { toProblem } = require('./problem');
const { acceptsGzip } = require('./validators');

/** Media types of long replies. */
const LINES = 'application/x-ndjson; charset=utf-8';
const XML = 'application/xml; charset=utf-8';
const TABS = 'text/tab-separated-values; charset=utf-8';
/** As for short bodies: a better compression costs more CPU than it saves bytes. */
const GZIP_LEVEL = 3;
/** Codes of a pipeline whose reader has left. */
const LEFT = new Set(['ABORT_ERR', 'ERR_STREAM_PREMATURE_CLOSE']);

/** @typedef {import('express').Request} Request @typedef {import('express').Response} Response */
/** @typedef {import('../../catalog/exports').Export} Export */

/**
 * Writes exports and sitemaps, at the speed of their readers. They have no ETag, because nobody knows their bytes before their
 * end, and no cache keeps them.
 * @param {object} parts
 * @param {string[]} parts.commonHeaders headers that all replies carry
 * @param {{ draining: boolean }} parts.state
 * @param {import('../../core/events').Events} parts.events
 */
function createStream({ commonHeaders, state, events }) {
  const writeHead = createWriteHead(state);

  /** @param {Request} req @param {Response} res @param {string} version of the data @param {string} type */
  function begin(req, res, version, type) {
    const isPacked = acceptsGzip(req.headers['accept-encoding']);
    writeHead(req, res, 200, [
      'Content-Type',
      type,
      'Content-Security-Policy',
      JSON_POLICY,
      'Catalog-Version',
      version,
      ...(isPacked ? ['Content-Encoding', 'gzip'] : []),
      'Cache-Control',
      'no-store',
      'Vary',
      'Accept-Encoding',
      ...commonHeaders,
    ]);
    return isPacked;
  }

  /**
   * @param {string} route for metrics @param {Request} req @param {Response} res
   * @param {() => Promise<Export>} start @param {string} type
   * @throws 412, or the failure of a read; the connection of a reply that has begun is then closed
   */
  async function send(route, req, res, start, type) {
    requireNoETag(req);
    const startedMs = performance.now();
    const sinceMs = () => performance.now() - startedMs;
    const left = new AbortController();
    const leave = () => left.abort();
    // The socket has the event: a reply that waits behind another one on its connection gets none when the connection ends.
    req.socket.once('close', leave);
    if (req.socket.destroyed) leave();
    /** @type {Export | undefined} */
    let under;
    let complete = false;
    try {
      under = await start();
      if (!left.signal.aborted) {
        const isPacked = begin(req, res, under.version, type);
        events.emit('replied', route, 200, sinceMs());
        complete = await pour(under.pieces, isPacked, res.setTimeout(STALLED_READER_SECONDS * 1000), left.signal);
      }
    } catch (error) {
      if (toProblem(error).status >= 500) events.emit('readFailed', route, sinceMs());
      throw error;
    } finally {
      req.socket.off('close', leave);
      under?.release();
      if (under) events.emit('exported', complete ? 'complete' : 'cut', under.count(), sinceMs());
    }
  }

  return {
    send,
    /** The headers alone: to read the version costs no place. @param {Request} req @param {Response} res @param {string} version @param {string} type */
    head(req, res, version, type) {
      requireNoETag(req);
      begin(req, res, version, type);
      res.end();
    },
  };
}

/** @param {Request} req @throws {Problem} 412 */
function requireNoETag({ headers: { 'if-match': ifMatch } }) {
  if (ifMatch !== undefined && ifMatch.trim() !== '*')
    throw new Problem(PROBLEMS.preconditionFailed, 'This reply has no ETag that If-Match could name. Leave it out.');
}

/**
 * Asks for a piece when the one before it has left, and for no more once the reader has.
 * @param {AsyncIterable<Buffer>} pieces @param {boolean} isPacked @param {Response} res @param {AbortSignal} signal of the end of the connection
 * @returns {Promise<boolean>} whether all have left
 */
async function pour(pieces, isPacked, res, signal) {
  try {
    if (isPacked) await pipeline(pieces, createGzip({ level: GZIP_LEVEL }), res, { signal });
    else await pipeline(pieces, res, { signal });
    return true;
  } catch (error) {
    // Any other error closes the connection as well, so the signal cannot tell them apart.
    if (!LEFT.has(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw error;
    return false;
  }
}

exports.LINES = LINES;
exports.TABS = TABS;
exports.XML = XML;
exports.createStream = createStream;
