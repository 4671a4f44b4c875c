'use strict';

const { noParams } = require('../params/search-params');
const { LINES, TABS } = require('../replies/stream');

/** @typedef {(parts: import('../../routes').Parts) => import('express').RequestHandler} Controller */

/** @param {keyof typeof import('../../catalog/shop-replies').FEEDS} name @param {string} type @returns {Controller} */
const feed =
  (name, type) =>
  ({ catalog, stream }) =>
  async (req, res) => {
    noParams(req.url);
    if (req.method !== 'HEAD') return stream.send('feed', req, res, async () => catalog.forShop.feed(name), type);
    const { version, release } = await catalog.forShop.feed(name);
    release();
    return stream.head(req, res, version, type);
  };

/** GET /feeds/google.tsv */
const googleFeed = feed('google', TABS);
/** GET /feeds/openai.jsonl */
const openaiFeed = feed('openai', LINES);

exports.googleFeed = googleFeed;
exports.openaiFeed = openaiFeed;
