'use strict';
const os = require('node:os');
const { stateFolder } = require('./state');
const { fromCaller, UsageError, wholeNumber } = require('../lib/command-line');
const { loadOptions, requireStartOptions } = require('./loader-options');
const { parseWords } = require('../lib/words');

const sampleProducts = 10_000;

/**
 * Every option of `npm start`, for parsing and `--help`. A test compares the table of scripts/README.md with it.
 * @type {{ name: string, value?: string, text: string, fallback?: string }[]}
 */
const startOptions = [
  { name: 'data', value: 'DIR', text: 'load the six CSVs of this folder instead of the sample' },
  {
    name: 'products',
    value: 'N',
    text: `products in the generated sample (default ${sampleProducts})`,
    fallback: String(sampleProducts),
  },
  { name: 'port', value: 'P', text: 'public port, nginx (default 8080)' },
  { name: 'certificate', value: 'FILE', text: 'serve HTTPS and HTTP/2 too; with its chain' },
  { name: 'key', value: 'FILE', text: 'private key of the certificate' },
  { name: 'tls-port', value: 'P', text: 'public HTTPS port (default 8443)' },
  {
    name: 'workers',
    value: 'N',
    text: 'worker processes (default one per core)',
    fallback: String(os.availableParallelism()),
  },
  { name: 'worker-port', value: 'P', text: 'port of the first worker, the others follow (default 3030)' },
  { name: 'admin-port', value: 'P', text: "port of the first worker's health and metrics (default 9030)" },
  { name: 'state', value: 'DIR', text: 'folder of the databases, logs and secrets (default .state of the clone)' },
  { name: 'watch', text: 'restart the workers when a file of server/ is saved' },
  { name: 'fresh', text: 'load again even when the catalog has products' },
  { name: 'help', text: 'this text' },
];

/** In the environment, because every account can read arguments. */
const startEnvironment = [
  { name: 'DATABASE_URL', text: 'PostgreSQL 15 or later: an owner that may create roles and schemas' },
  { name: 'API_DATABASE_URL', text: 'role catalog_api, when DATABASE_URL may not create roles' },
  { name: 'REDIS_URL', text: 'Redis or Valkey: redis://, rediss:// or unix:///socket' },
  { name: 'NGINX_BIN', text: "the system's nginx instead of the one from the wheel" },
  { name: 'CATALOG_RATE_LIMIT', text: 'requests a second of one client address (default: no limit)' },
];

/** @param {{ name: string, value?: string }} option */
const heading = ({ name, value }) => `  --${name}${value ? ` ${value}` : ''}`;

/** @returns {string} */
function helpText() {
  const options = startOptions.map((option) => `${heading(option).padEnd(22)}${option.text}`);
  const variables = startEnvironment.map(({ name, text }) => `  ${name.padEnd(20)}${text}`);
  const ports =
    'A default port that is taken is replaced by the next free one, which is printed; a port that you name is not.';
  const usage = 'npm start -- [options] [-- options of the loader]';
  return [usage, '', ...options, '', ports, '', 'Environment:', ...variables].join('\n');
}

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
  const { values, further } = typedBy(words);
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
  const named = /** @type {const} */ (['port', 'tls-port', 'worker-port', 'admin-port']).filter(
    (name) => values[name] !== undefined,
  );
  const last = (/** @type {string} */ name) => (/worker|admin/.test(name) ? 65536 - workers : 65535);
  return Object.fromEntries(named.map((name) => [name, wholeNumber(name, values[name], last(name))]));
}

/** @param {Record<string, any>} values @returns {StartOptions['tls']} */
function parseTls({ certificate, key }) {
  if (!certificate && !key) return undefined;
  if (!certificate || !key) throw new UsageError('--certificate and --key belong together');
  return { certificate: fromCaller(certificate), key: fromCaller(key) };
}

/** @param {string[]} words @returns {{ values: Record<string, any>, further: string[] }} */
function typedBy(words) {
  const options = Object.fromEntries(
    startOptions.map(({ name, value, fallback }) => [
      name,
      value ? { type: /** @type {const} */ ('string'), default: fallback } : { type: /** @type {const} */ ('boolean') },
    ]),
  );
  return parseWords('npm start', { args: words, options, further: loadOptions });
}

module.exports = { startOptions, startEnvironment, helpText, parseStartOptions };
