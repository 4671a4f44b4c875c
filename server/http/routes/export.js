'use strict';

const { exportParams } = require('../params/export-params');

/**
 * GET /export?view=&after=
 * @param {import('../../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function exported({ catalog, stream }) {
  return async (req, res) => {
    const { view, after } = exportParams(req.url);
    if (req.method === 'HEAD') stream.head(req, res, await catalog.version());
    else await stream.send('export', req, res, () => catalog.exported(view, after));
  };
}

exports.exported = exported;
