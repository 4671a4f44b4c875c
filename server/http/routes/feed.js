'use strict';

const { noParams } = require('../params/search-params');
const { TABS } = require('../replies/stream');

/**
 * GET /feeds/google.tsv
 * @param {import('../../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function feed({ catalog, stream }) {
  return async (req, res) => {
    noParams(req.url);
    if (req.method !== 'HEAD') return stream.send('feed', req, res, async () => catalog.forShop.googleFeed(), TABS);
    const { version, release } = await catalog.forShop.googleFeed();
    release();
    return stream.head(req, res, version, TABS);
  };
}

exports.feed = feed;
