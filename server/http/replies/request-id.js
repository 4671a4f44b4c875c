'use strict';

const { randomUUID } = require('node:crypto');

/** May be repeated in a header, a log line and a URN without escaping. */
const SAFE = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * @param {import('node:http').IncomingMessage} req
 * @returns {string | undefined} the id from the client or the proxy, when it is safe
 */
function givenRequestId(req) {
  const id = req.headers['x-request-id'];
  return typeof id === 'string' && SAFE.test(id) ? id : undefined;
}

/** @param {import('node:http').IncomingMessage} req */
const requestId = (req) => givenRequestId(req) ?? randomUUID();

exports.givenRequestId = givenRequestId;
exports.requestId = requestId;
