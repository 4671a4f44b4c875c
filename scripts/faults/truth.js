'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { withClient } = require('../lib/roles');

const [documentsSql, listsSql] = ['truth.sql', 'truth-lists.sql'].map((name) =>
  fs.readFileSync(path.join(__dirname, name), 'utf8'),
);
/** Products of a page; above 200 a list is read on a connection of its own. */
const pageCount = 20;
const longPageCount = 250;

/** @typedef {Record<string, string>} Truth path → SHA-256 of what belongs there: the Link header, where there is one, and the body */

/** @param {string} dsn @returns {Promise<{ documents: Truth, lists: Truth, longLists: Truth }>} in the order of ids */
const readTruth = (dsn) =>
  withClient(dsn, async (client) => {
    const { rows } = await client.query(documentsSql);
    const lists = async (/** @type {number} */ count) =>
      Object.fromEntries(
        (await client.query(listsSql, [count])).rows.flatMap((row) =>
          // Behind no id is no path.
          [row.page_path, row.after_path].filter(Boolean).map((each) => [each, row.list]),
        ),
      );
    return {
      documents: Object.fromEntries(
        rows.flatMap((row) => [
          [row.product_path, row.product],
          [`${row.product_path}/styles`, row.styles],
          [`${row.product_path}/related`, row.related],
        ]),
      ),
      lists: await lists(pageCount),
      longLists: await lists(longPageCount),
    };
  });

module.exports = { readTruth };
