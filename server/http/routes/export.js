'use strict';

const { exportParams } = require('../params/export-params');
const { LINES } = require('../replies/stream');

/**
 * GET /export?view=&after=
 * @param {import('../../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function exported({ catalog, stream }) {
  return async (req, res) => {
    const { view, after } = exportParams(req.url);
    if (req.method === 'HEAD') stream.head(req, res, await catalog.version(), LINES);
    else await stream.send('export', req, res, () => catalog.exported(view, after), LINES);
  };
}

exports.exported = exported;
