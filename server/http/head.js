'use strict';

const { givenRequestId } = require('./request-id');

/**
 * Writes the head of a reply that is no problem, with what depends on the request and the moment.
 * @param {{ draining: boolean }} state
 */
function createWriteHead(state) {
  /**
   * @param {import('node:http').IncomingMessage} req @param {import('node:http').ServerResponse} res
   * @param {number} status @param {string[]} list names and values
   */
  return (req, res, status, list) => {
    const requestId = givenRequestId(req);
    const own = requestId ? ['X-Request-Id', requestId] : [];
    // A proxy that reused this connection while it closes would see a reset.
    if (state.draining) own.push('Connection', 'close');
    res.writeHead(status, own.length ? list.concat(own) : list);
  };
}

exports.createWriteHead = createWriteHead;
