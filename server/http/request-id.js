'use strict';

const { randomUUID } = require('node:crypto');

/** What may come back in a header, a log line and a URN without escaping. */
const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * @param {import('node:http').IncomingMessage} req
 * @returns {string | undefined} the id that the caller or the proxy gave, when it is sane
 */
function givenRequestId(req) {
  const id = req.headers['x-request-id'];
  return typeof id === 'string' && SANE.test(id) ? id : undefined;
}

/** @param {import('node:http').IncomingMessage} req */
const requestId = (req) => givenRequestId(req) ?? randomUUID();

exports.givenRequestId = givenRequestId;
exports.requestId = requestId;
