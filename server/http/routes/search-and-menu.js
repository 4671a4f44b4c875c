'use strict';

const { LRUCache } = require('lru-cache');
const { noParams, searchParams, suggestParams } = require('../params/search-params');

/** @typedef {(parts: import('../../routes').Parts) => import('express').RequestHandler} Controller */

/** Longer URLs are rare, and a thousand of them would take megabytes. */
const MAX_KNOWN_URL = 512;

/** GET /search @type {Controller} */
function search({ catalog, reply, countSearch }) {
  const send = reply('search');
  /** To read a query takes longer than to send a reply from memory. @type {LRUCache<string, import('../../search/answers/query').Query>} */
  const known = new LRUCache({ max: 1000 });
  /** @param {string} url */
  function queryIn(url) {
    const query = known.get(url) ?? searchParams(url);
    if (url.length <= MAX_KNOWN_URL) known.set(url, query);
    return query;
  }
  return (req, res) => {
    const query = queryIn(req.url);
    const found = catalog.search(query);
    // A further page is no other search.
    if (query.q && query.page === 1 && query.after === null) countSearch(found);
    return send(req, res, found);
  };
}

/** GET /suggest?q=&count= @type {Controller} */
function suggest({ catalog, reply }) {
  const send = reply('suggest');
  return (req, res) => {
    const { q, count } = suggestParams(req.url);
    return send(req, res, catalog.suggest(q, count));
  };
}

/** GET /catalog @type {Controller} */
function menu({ catalog, reply }) {
  const send = reply('catalog');
  return (req, res) => {
    noParams(req.url);
    return send(req, res, catalog.menu());
  };
}

exports.search = search;
exports.suggest = suggest;
exports.menu = menu;
