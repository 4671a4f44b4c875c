'use strict';

const { fold } = require('../../server/client/words.js');
const { searchParams, suggestParams } = require('../../server/http/params/search-params');
const { Search } = require('../../server/search/search');
const { request } = require('./http');
const { readProducts } = require('./row-writes');
const { buildTables, readerOf } = require('./search-index');

/** @typedef {Awaited<ReturnType<typeof import('./app').startService>>} App */

/** @param {App} app @param {string} target */
async function ask(app, target) {
  const { status, headers, body } = await request(app.url, { path: encodeURI(target) });
  return { status, cursor: headers['catalog-cursor'], ...JSON.parse(Buffer.from(body, 'latin1').toString()) };
}

/**
 * Compares answers with those of a search that is made of the rows.
 * @param {import('pg').Client} client @param {App} app @param {{ seq: number, searches: string[], suggestions?: string[] }} asked `seq` of the last commit
 */
async function expectExact(client, app, { seq, searches, suggestions = [] }) {
  const fresh = new Search(readerOf(buildTables(await readProducts(client))), { maxBytes: 2 ** 20 });
  for (const target of searches) {
    const { total, ids, next, query, facets } = await fresh.search('1', searchParams(encodeURI(target)));
    const body = await ask(app, target);
    // Only a load says how texts write words.
    for (const word of [...body.query.words, ...query.words]) delete word.shown;
    const shown = {
      ...body,
      items: body.items.map((/** @type {{ id: number }} */ { id }) => id),
      next: body.next !== null,
    };
    const wanted = { total, items: ids, next: next !== null, query, facets };
    expect({ target, ...shown }).toEqual({ target, status: 200, cursor: `1.${seq}`, ...wanted });
  }
  for (const target of suggestions) {
    const { q, count } = suggestParams(encodeURI(target));
    const { words: written, categories } = await ask(app, target);
    const words = written.map((/** @type {any} */ { value, count: products }) => ({
      value: fold(value),
      count: products,
    }));
    expect({ target, words, categories }).toEqual({ target, ...(await fresh.suggest('1', q, count)) });
  }
}

module.exports = { ask, expectExact };
