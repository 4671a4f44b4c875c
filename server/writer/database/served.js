'use strict';

const { writesPaused } = require('../errors');
const statements = require('./statements');

/** @typedef {import('./transaction').Query} Query */
/** @typedef {{ load_id: number, campus: string, era: number, seq: string, now: Date }} Served the load that is served, and the last commit */

/** @param {Query} query @returns {Promise<Served>} @throws {import('../../core/errors').Problem} 503 */
async function readServed(query) {
  const [served] = await query(statements.served);
  if (!served) throw writesPaused('No catalog is loaded.');
  return served;
}

/** @param {Query} query @param {string[]} names of indexes @returns {Promise<boolean>} whether all of them are built */
async function hasIndexes(query, names) {
  const [{ ready }] = await query(statements.hasIndexes, [names]);
  return ready;
}

/** @param {Query} query @param {string[]} names @throws {import('../../core/errors').Problem} 503 */
async function requireIndexes(query, names) {
  if (!(await hasIndexes(query, names))) throw lacksIndexes();
}

const lacksIndexes = () => writesPaused('The indexes that this write needs are built after a load.');

exports.hasIndexes = hasIndexes;
exports.lacksIndexes = lacksIndexes;
exports.readServed = readServed;
exports.requireIndexes = requireIndexes;
