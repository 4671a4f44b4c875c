'use strict';

const { document } = require('../web/documents');
const { unknownPath } = require('../web/methods');

/**
 * GET /openapi.json, /docs and what the page loads
 * @param {import('../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function documents({ reply }) {
  const send = reply('documents');
  return (req, res, next) => {
    const entry = document(req.path.replace(/\/$/, ''));
    return entry ? send(req, res, entry) : unknownPath(req, res, next);
  };
}

exports.documents = documents;
