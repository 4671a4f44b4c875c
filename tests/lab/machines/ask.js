'use strict';

/**
 * Runs a script on a machine and gives its output, or throws.
 * @typedef {(script: string) => string} Run
 */

/** Retries, for services that may be starting. */
const get = 'curl -fsS --retry 20 --retry-all-errors --retry-delay 1';

/** @param {string} text @returns {string} a command that prints the result of the catalog's database */
const sql = (text) => `runuser -u postgres -- psql -X -At -d catalog -c "${text}"`;

const incoming = '/srv/incoming';
const generate = `/opt/catalog/node/bin/node /opt/catalog/current/scripts/generate ${incoming}`;
/** @param {number} products @returns {string} a command that loads and serves generated products */
const load = (products) =>
  `${generate} --products ${products} && chmod -R a+rX ${incoming} && catalog-etl load ${incoming}`;

module.exports = { generate, get, incoming, load, sql };
