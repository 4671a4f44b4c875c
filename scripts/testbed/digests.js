'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { withClient } = require('../local/roles');

const [documentsSql, listsSql] = ['digests.sql', 'digests-lists.sql'].map((name) =>
  fs.readFileSync(path.join(__dirname, name), 'utf8'),
);
/** Products of a page; above 200 a list is read on a connection of its own. */
const pageCount = 20;
const longPageCount = 250;

/** @typedef {Record<string, string>} Digests path → SHA-256 of the correct reply: the Link header, if any, and the body */

/** @param {string} dsn @returns {Promise<{ documents: Digests, lists: Digests, longLists: Digests }>} in the order of ids */
const readDigests = (dsn) =>
  withClient(dsn, async (client) => {
    const { rows } = await client.query(documentsSql);
    const lists = async (/** @type {number} */ count) => {
      const pages = (await client.query(listsSql, [count])).rows;
      const entries = pages.flatMap(({ page_path: page, after_path: after, list }) => [
        [page, list],
        [after, list],
      ]);
      return Object.fromEntries(entries.filter(([each]) => each)); // the first page is after no id
    };
    const documents = rows.flatMap((row) => [
      [row.product_path, row.product],
      [`${row.product_path}/styles`, row.styles],
      [`${row.product_path}/related`, row.related],
    ]);
    return {
      documents: Object.fromEntries(documents),
      lists: await lists(pageCount),
      longLists: await lists(longPageCount),
    };
  });

module.exports = { readDigests };
