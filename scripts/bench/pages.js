'use strict';
const { isDeepStrictEqual } = require('node:util');
const { waitUntil } = require('../lib/wait-until');
const { createRandom } = require('../generate/random');
const { pathsFile } = require('./dataset');
/** @import { Contestant } from './contestants' */

const mostRows = 100;
const pathCount = 50_000;
const visibleWithinMs = 5000;

/**
 * A random page with a random count that begins between two rows.
 * @param {(bound: number) => number} below @param {number} from @param {number} to
 * @returns {{ page: number, count: number }}
 */
function randomPage(below, from, to) {
  const count = 1 + below(mostRows);
  const row = from + below(to - from);
  return { page: Math.floor(row / count) + 1, count };
}

/**
 * @param {import('./dataset').Dataset} dataset @param {number} from first row @param {number} to
 * @returns {string} a file of so many different pages that none is asked for twice in a row
 */
function writePages({ dir }, from, to) {
  const below = createRandom(from + 1);
  const paths = Array.from({ length: pathCount }, () => {
    const { page, count } = randomPage(below, from, to);
    return `/products?page=${page}&count=${count}`;
  });
  return pathsFile(dir, `pages-${from}-${to}`, paths);
}

/** @param {Contestant} server @param {number} page @param {number} count @returns {Promise<number[]>} */
async function idsOfPage({ port }, page, count) {
  const response = await fetch(`http://127.0.0.1:${port}/products?page=${page}&count=${count}`);
  const body = /** @type {any} */ (await response.json());
  if (!response.ok) throw new Error(`page ${page} of ${count} answers ${response.status}`);
  return body.map((/** @type {{ id: number }} */ { id }) => id);
}

/**
 * Compares pages with the slice of all ids that LIMIT and OFFSET would give.
 * @param {Contestant} server
 * @param {number[]} ids of the catalog, in order
 * @param {number} howMany
 * @returns {Promise<number>} pages with other rows
 */
async function checkPages(server, ids, howMany) {
  const below = createRandom(11);
  const matches = async (/** @type {number} */ page, /** @type {number} */ count) => {
    const wanted = ids.slice((page - 1) * count, page * count);
    return isDeepStrictEqual(await idsOfPage(server, page, count), wanted);
  };
  // The last row tells that a change has arrived: its place moves with every row that came or went.
  await waitUntil(() => matches(ids.length, 1), visibleWithinMs);
  let wrong = 0;
  for (let checked = 0; checked < howMany; checked += 1) {
    const { page, count } = randomPage(below, 0, ids.length);
    if (!(await matches(page, count))) wrong += 1;
  }
  return wrong;
}

module.exports = { checkPages, randomPage, writePages };
