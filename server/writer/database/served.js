'use strict';

const { declarationOf } = require('../../catalog/declarations');
const { NONE } = require('../content/fields');
const { rulesOf } = require('../content/schemas');
const { writesPaused } = require('../errors');
const statements = require('./statements');

/** @typedef {import('./transaction').Query} Query @typedef {import('../content/schemas').Rules} Rules */
/** @typedef {{ load_id: number, campus: string, era: number, seq: string, now: Date, token: string, declared: any }} Served the load that is served, and the last commit */

/**
 * @param {Query} query @param {string | null} [token] of the load that the caller knows; null: it needs no declaration
 * @returns {Promise<Served>} @throws {import('../../core/errors').Problem} 503
 */
async function readServed(query, token = null) {
  const [served] = await query(statements.served, [token]);
  if (!served) throw writesPaused('No catalog is loaded.');
  return served;
}

/** The load that is served with what products may become, which is made once for each load. */
class ServedLoad {
  #known = { token: 'none', rules: rulesOf(NONE) };

  /** As of the last read. */
  get rules() {
    return this.#known.rules;
  }

  /** @param {Query} query @returns {Promise<Served & { rules: Rules }>} @throws {import('../../core/errors').Problem} 503 */
  async read(query) {
    const known = this.#known;
    const served = await readServed(query, known.token);
    const { token, declared } = served;
    if (token === known.token) return { ...served, rules: known.rules };
    const rules = rulesOf(declared ? declarationOf(declared) : NONE);
    this.#known = { token, rules };
    return { ...served, rules };
  }
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

exports.ServedLoad = ServedLoad;
exports.hasIndexes = hasIndexes;
exports.lacksIndexes = lacksIndexes;
exports.readServed = readServed;
exports.requireIndexes = requireIndexes;
