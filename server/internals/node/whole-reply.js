'use strict';

const STATUS_LINE = 'HTTP/1.1 200 OK\r\n';

/**
 * A list of headers as they are sent.
 * @param {string[]} list names and values, checked by whoever made them: they are not checked again here
 */
function headText(list) {
  const lines = [];
  for (let index = 0; index < list.length; index += 2) lines.push(`${list[index]}: ${list[index + 1]}\r\n`);
  // join() makes a flat string; one grown by += is a chain that each reply would walk through
  return lines.join('');
}

/**
 * Writes a 200 with its body as one string. Node checks and joins the headers of each reply anew, and writes a body
 * given to end() as a vector of three parts; this is a fifth of a hot reply. `_header` is where Node itself keeps
 * the joined head, and what it sends when end() gets no body; only a GET on a connection that stays open comes here,
 * and tests/unit/whole-reply.test.js holds the bytes against those of writeHead() and end().
 * @param {number} keepAliveMs of the listener
 */
function createWholeReply(keepAliveMs) {
  const keepAlive = `Keep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`;
  let second = NaN;
  let ending = '';

  /** What Node adds to each head; the same for a second. */
  function headEnding() {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      const date = new Date(now * 1000).toUTCString();
      ending = `Date: ${date}\r\nConnection: keep-alive\r\n${keepAlive}\r\n`;
    }
    return ending;
  }

  return {
    /** @param {import('node:http').IncomingMessage} req @param {import('node:http').ServerResponse} res */
    fits: (req, res) => req.method === 'GET' && res.shouldKeepAlive,
    /**
     * @param {import('node:http').ServerResponse} res
     * @param {string} head made by headText()
     * @param {string} body one character a byte
     */
    send(res, head, body) {
      /** @type {any} */ (res)._header = STATUS_LINE + head + headEnding() + body;
      res.end();
    },
  };
}

exports.headText = headText;
exports.createWholeReply = createWholeReply;
