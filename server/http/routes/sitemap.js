'use strict';

const { toPositiveInteger } = require('../params/params');
const { noParams } = require('../params/search-params');
const { XML } = require('../replies/stream');

/**
 * GET /sitemap.xml and /sitemap-1.xml
 * @param {import('../../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function sitemap({ catalog, stream }) {
  return async (req, res) => {
    noParams(req.url);
    const number = 'number' in req.params ? toPositiveInteger(String(req.params.number)) : null;
    if (req.method !== 'HEAD')
      return stream.send('sitemap', req, res, async () => catalog.forShop.sitemap(number), XML);
    const { version, release } = await catalog.forShop.sitemap(number);
    release();
    return stream.head(req, res, version, XML);
  };
}

exports.sitemap = sitemap;
