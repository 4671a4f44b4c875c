'use strict';
const os = require('node:os');
const { stateFolder } = require('./state');
const { fromCaller, parseWords, UsageError, wholeNumber } = require('./command-line');

/** Loads in a few seconds on two cores and is enough to page through. */
const sampleProducts = 10_000;

/**
 * Every option of `npm start`. Parsing and `--help` come from here; a test compares the README's table with it.
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
  { name: 'port', value: 'P', text: 'public port, nginx (default 8080)', fallback: '8080' },
  { name: 'certificate', value: 'FILE', text: 'serve HTTPS and HTTP/2 too; with its chain' },
  { name: 'key', value: 'FILE', text: 'private key of the certificate' },
  { name: 'tls-port', value: 'P', text: 'public HTTPS port (default 8443)', fallback: '8443' },
  {
    name: 'workers',
    value: 'N',
    text: 'worker processes (default one per core)',
    fallback: String(os.availableParallelism()),
  },
  {
    name: 'worker-port',
    value: 'P',
    text: 'port of the first worker, the others follow (default 3030)',
    fallback: '3030',
  },
  {
    name: 'admin-port',
    value: 'P',
    text: "port of the first worker's health and metrics (default 9030)",
    fallback: '9030',
  },
  {
    name: 'state',
    value: 'DIR',
    text: 'folder of the databases, logs and secrets (default .state of the clone)',
  },
  { name: 'fresh', text: 'load again even when the catalog has products' },
  { name: 'help', text: 'show this and stop' },
];

/** Servers that already run: in the environment and never in arguments, which every account can read. And what a node has too. */
const startEnvironment = [
  {
    name: 'DATABASE_URL',
    text: 'PostgreSQL 15 or later: an owner that may create roles and schemas',
  },
  { name: 'API_DATABASE_URL', text: 'role catalog_api, when DATABASE_URL may not create roles' },
  { name: 'REDIS_URL', text: 'Redis or Valkey: redis://, rediss:// or unix:///socket' },
  { name: 'NGINX_BIN', text: "the system's nginx instead of the one from the wheel" },
  {
    name: 'CATALOG_RATE_LIMIT',
    text: 'requests a second of one client address (default: no limit)',
  },
];

/** @param {{ name: string, value?: string }} option */
const heading = ({ name, value }) => `  --${name}${value ? ` ${value}` : ''}`;

/** @returns {string} */
function helpText() {
  const options = startOptions.map((option) => `${heading(option).padEnd(22)}${option.text}`);
  const variables = startEnvironment.map(({ name, text }) => `  ${name.padEnd(20)}${text}`);
  return ['npm start -- [options]', '', ...options, '', 'Environment:', ...variables].join('\n');
}

/**
 * @typedef {object} StartOptions
 * @property {boolean} help
 * @property {boolean} fresh
 * @property {string | undefined} data absolute
 * @property {number} products
 * @property {number} port
 * @property {import('../../nginx/tls').Tls | undefined} tls
 * @property {number[]} workerPorts
 * @property {number[]} adminPorts
 * @property {string} state absolute
 */

/**
 * @param {string[]} words what follows `npm start --`
 * @returns {StartOptions}
 * @throws {UsageError}
 */
function parseStartOptions(words) {
  const values = valuesOf(words);
  const workers = wholeNumber('workers', values.workers, 256);
  /** @param {string} name */
  const ports = (name) => {
    const first = wholeNumber(name, values[name], 65536 - workers);
    return Array.from({ length: workers }, (_, index) => first + index);
  };
  return {
    help: Boolean(values.help),
    fresh: Boolean(values.fresh),
    data: values.data && fromCaller(values.data),
    products: wholeNumber('products', values.products, 100_000_000),
    port: wholeNumber('port', values.port, 65535),
    tls: parseTls(values),
    workerPorts: ports('worker-port'),
    adminPorts: ports('admin-port'),
    state: stateFolder(values.state),
  };
}

/** @param {Record<string, any>} values @returns {StartOptions['tls']} */
function parseTls({ certificate, key, 'tls-port': port }) {
  if (!certificate && !key) return undefined;
  if (!certificate || !key) throw new UsageError('--certificate and --key belong together');
  return { certificate: fromCaller(certificate), key: fromCaller(key), port: wholeNumber('tls-port', port, 65535) };
}

/** @param {string[]} words @returns {Record<string, any>} */
function valuesOf(words) {
  const options = Object.fromEntries(
    startOptions.map(({ name, value, fallback }) => [
      name,
      value ? { type: /** @type {const} */ ('string'), default: fallback } : { type: /** @type {const} */ ('boolean') },
    ]),
  );
  return parseWords('npm start', { args: words, options }).values;
}

module.exports = { startOptions, startEnvironment, helpText, parseStartOptions };
