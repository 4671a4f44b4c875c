'use strict';

const { docsFile } = require('../docs-files');
const { unknownPath } = require('../methods');

/**
 * GET /openapi.json, /docs and what the page loads
 * @param {import('../../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function docs({ reply }) {
  const send = reply('docs');
  return (req, res, next) => {
    const entry = docsFile(req.path);
    return entry ? send(req, res, entry) : unknownPath(req, res, next);
  };
}

exports.docs = docs;
