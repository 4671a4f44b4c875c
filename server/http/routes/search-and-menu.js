'use strict';

const { noParams, searchParams, suggestParams } = require('../search-params');

/** @typedef {(parts: import('../../routes').Parts) => import('express').RequestHandler} Controller */

/** GET /search @type {Controller} */
function search({ catalog, reply }) {
  const send = reply('search');
  return (req, res) => send(req, res, catalog.search(searchParams(req.url)));
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
