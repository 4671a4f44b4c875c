'use strict';

/** Retries, for services that may be starting. */
const get = 'curl -fsS --retry 20 --retry-all-errors --retry-delay 1';

const routes = ['/products?count=3', '/products/1', '/products/1/styles', '/products/1/related'];

/** @param {string} text @returns {string} a command that prints the result of the catalog's database */
const sql = (text) => `runuser -u postgres -- psql -X -At -d catalog -c "${text}"`;

const incoming = '/srv/incoming';
const generate = `/opt/catalog/node/bin/node /opt/catalog/current/scripts/generate ${incoming}`;
/** @param {number} products @returns {string} a command that loads and serves generated products */
const load = (products) =>
  `${generate} --products ${products} && chmod -R a+rX ${incoming} && catalog-etl load ${incoming}`;

module.exports = { generate, get, incoming, load, routes, sql };
