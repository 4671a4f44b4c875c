'use strict';
const os = require('node:os');
const { stateFolder } = require('./state');
const { fromCaller, UsageError, wholeNumber } = require('../lib/command-line');
const { loadOptions, requireStartOptions } = require('./loader-options');
const { flag, parseWords, text } = require('../lib/words');

/** DATABASE_URL and the like are variables, because every account can read arguments. */
const help = `npm start -- [options] [-- options of the loader]

  --data DIR          load the six CSVs of this folder instead of the sample
  --products N        products in the generated sample (default 10000)
  --port P            public port, nginx (default 8080)
  --certificate FILE  serve HTTPS and HTTP/2 too; with its chain
  --key FILE          private key of the certificate
  --tls-port P        public HTTPS port (default 8443)
  --workers N         worker processes (default one per core)
  --worker-port P     port of the first worker, the others follow (default 3030)
  --admin-port P      port of the first worker's health and metrics (default 9030)
  --write-port P      port of the writer, its health and metrics follow (default 7030)
  --state DIR         folder of the databases, logs and secrets (default .state of the clone)
  --watch             restart the workers when a file of server/ is saved
  --fresh             load again even when the catalog has products
  --help              this text

A default port that is taken is replaced by the next free one, which is printed; a port that you name is not.

Environment:
  DATABASE_URL        PostgreSQL 15 or later: an owner that may create roles and schemas
  API_DATABASE_URL    role catalog_api, when DATABASE_URL may not create roles
  WRITE_DATABASE_URL  role catalog_writer, as API_DATABASE_URL; without it there is no writer
  REDIS_URL           Redis or Valkey: redis://, rediss:// or unix:///socket
  NGINX_BIN           the system's nginx instead of the one from the wheel
  CATALOG_RATE_LIMIT  requests a second of one client address (default: no limit)`;

const options = {
  ...{ data: text(), products: text('10000'), state: text(), watch: flag, fresh: flag },
  ...{ port: text(), 'tls-port': text(), 'worker-port': text(), 'admin-port': text(), 'write-port': text() },
  ...{ certificate: text(), key: text(), workers: text(String(os.availableParallelism())) },
};

/**
 * @typedef {object} StartOptions
 * @property {boolean} help
 * @property {boolean} fresh
 * @property {boolean} watch
 * @property {string | undefined} data absolute
 * @property {number} products
 * @property {string[]} loader options that the loader gets
 * @property {{ certificate: string, key: string } | undefined} tls
 * @property {number} workers
 * @property {Partial<Record<import('./ports').PortOption, number>>} ports those that are named
 * @property {string} state absolute
 */

/** @param {string[]} words what follows `npm start --` @returns {StartOptions} @throws {UsageError} */
function parseStartOptions(words) {
  const { values, further } = parseWords('npm start', { args: words, options, further: loadOptions });
  const workers = wholeNumber('workers', values.workers, 256);
  const data = values.data && fromCaller(values.data);
  return {
    help: Boolean(values.help),
    fresh: Boolean(values.fresh),
    watch: Boolean(values.watch),
    data,
    loader: values.help ? [] : requireStartOptions(further, data),
    products: wholeNumber('products', values.products, 100_000_000),
    tls: parseTls(values),
    workers,
    ports: namedPorts(values, workers),
    state: stateFolder(values.state),
  };
}

/** @param {Record<string, any>} values @param {number} workers @returns {StartOptions['ports']} */
function namedPorts(values, workers) {
  const named = /** @type {const} */ (['port', 'tls-port', 'worker-port', 'admin-port', 'write-port']).filter(
    (name) => values[name] !== undefined,
  );
  const neighbours = { port: 1, 'tls-port': 1, 'worker-port': workers, 'admin-port': workers, 'write-port': 2 };
  const last = (/** @type {keyof typeof neighbours} */ name) => 65536 - neighbours[name];
  return Object.fromEntries(named.map((name) => [name, wholeNumber(name, values[name], last(name))]));
}

/** @param {Record<string, any>} values @returns {StartOptions['tls']} */
function parseTls({ certificate, key }) {
  if (!certificate && !key) return undefined;
  if (!certificate || !key) throw new UsageError('--certificate and --key belong together');
  return { certificate: fromCaller(certificate), key: fromCaller(key) };
}

module.exports = { help, parseStartOptions };
