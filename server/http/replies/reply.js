'use strict';

const { isBody } = require('../../cache/body');
const { Entry } = require('../../cache/entry');
const { PROBLEMS, Problem } = require('../../core/errors');
const { createWriteHead } = require('./headers');
const { STALLED_READER_SECONDS } = require('../../core/policy');
const { toProblem } = require('./problem');
const { givenRequestId } = require('./request-id');
const { acceptsGzip, matches, matchesStrongly } = require('./validators');

/**
 * @typedef {import('express').Request} Request
 * @typedef {import('express').Response} Response
 * @typedef {import('../../cache/body').Body} Body
 * @typedef {(req: Request, res: Response, found: Entry | Promise<Entry>) => void | Promise<void>} Send
 * @typedef {Map<string, { ok: number, notModified: number }>} AtOnce replies that waited for nothing, by route
 */

/**
 * Writes entries as replies. This is the hot path: no promise when the entry is in L1, no header
 * computed twice, one write.
 * @param {object} parts
 * @param {ReturnType<typeof import('./headers').createHeaders>} parts.headers
 * @param {ReturnType<typeof import('../../internals/node/whole-reply').createWholeReply>} parts.whole
 * @param {(entry: Entry) => Body | Promise<Body>} parts.compressed
 * @param {{ send: (entry: Entry) => () => void }} parts.longPages counts long pages until they have left
 * @param {{ draining: boolean }} parts.state
 * @param {import('../../core/events').Events} parts.events
 * @param {AtOnce} parts.atOnce counts hot replies: calling a listener for each would cost 2 %
 * @returns {(route: string) => Send} one sender per route; the name is for metrics
 */
function createReply({ headers, whole, compressed, longPages, state, events, atOnce }) {
  const writeHead = createWriteHead(state);

  /**
   * @param {Request} req @param {Response} res @param {Entry} entry
   * @returns {number | Promise<number>} the status written
   * @throws {Problem} 412
   */
  function write(req, res, entry) {
    const { plain, gzip } = headers.of(entry);
    const encoded = gzip && acceptsGzip(req.headers['accept-encoding']) ? gzip : null;
    const variant = encoded ?? plain;
    const ifMatch = req.headers['if-match'];
    // The variant that would be sent is compared (RFC 9110, 13.1.1).
    if (ifMatch !== undefined && !matchesStrongly(ifMatch, variant.etag))
      throw new Problem(
        PROBLEMS.preconditionFailed,
        'If-Match does not name the current ETag. Read the ETag again by a GET without If-Match.',
      );
    const ifNoneMatch = req.headers['if-none-match'];
    if (ifNoneMatch !== undefined && matches(ifNoneMatch, variant.etag)) {
      writeHead(req, res, 304, headers.notModified(entry, variant));
      res.end();
      return 304;
    }
    const body = encoded ? compressed(entry) : entry.body;
    return isBody(body)
      ? writeOk(req, res, entry, variant, body)
      : body.then((ready) => writeOk(req, res, entry, variant, ready));
  }

  /**
   * Node omits the body when the method is HEAD.
   * @param {Request} req @param {Response} res @param {Entry} entry
   * @param {import('./headers').Variant} variant @param {Body} body
   */
  function writeOk(req, res, entry, variant, body) {
    if (typeof body === 'string' && !state.draining && whole.fits(req, res)) {
      const id = givenRequestId(req);
      const head = headers.head(entry, variant, body);
      whole.send(res, id ? `${head}X-Request-Id: ${id}\r\n` : head, body);
    } else {
      writeHead(req, res, 200, headers.ok(entry, variant, body));
      res.end(body, 'latin1');
    }
    return 200;
  }

  /** The page counts until its reply has ended and nothing compresses it. @param {Request} req @param {Response} res @param {Entry} entry */
  async function writeLong(req, res, entry) {
    const end = longPages.send(entry);
    try {
      return await write(req, res, entry);
    } finally {
      onceEnded(req, res.setTimeout(STALLED_READER_SECONDS * 1000), end);
    }
  }

  return (route) => {
    const counts = atOnce.get(route) ?? { ok: 0, notModified: 0 };
    atOnce.set(route, counts);
    return (req, res, found) => {
      const status =
        found instanceof Entry
          ? write(req, res, found)
          : found.then((entry) => (entry.longRows > 0 ? writeLong : write)(req, res, entry));
      if (typeof status !== 'number') return count(events, route, status);
      if (status === 200) counts.ok += 1;
      else counts.notModified += 1;
      events.emit('repliedAtOnce', route);
    };
  };
}

/** @param {import('../../core/events').Events} events @param {string} route @param {Promise<number>} written the status, in time */
async function count(events, route, written) {
  const startedMs = performance.now();
  const status = await written.catch((error) => {
    if (toProblem(error).status >= 500) events.emit('readFailed', route, performance.now() - startedMs);
    throw error;
  });
  events.emit('replied', route, status, performance.now() - startedMs);
}

/**
 * The socket is watched too: a reply that waits behind another one on its connection gets no event when the connection ends.
 * @param {Request} req @param {Response} res @param {() => void} end may be called twice
 */
function onceEnded({ socket }, res, end) {
  if (socket.closed) return end();
  socket.once('close', end);
  res.once('close', () => {
    socket.off('close', end);
    end();
  });
}

exports.createReply = createReply;
