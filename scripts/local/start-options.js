'use strict';
const os = require('node:os');
const { lastPort, portOptions } = require('./ports');
const { stateFolder } = require('./state');
const { fromCaller, UsageError, wholeNumber } = require('../lib/command-line');
const { helpOf } = require('../lib/help');
const { option, parseWords, shellLine, toggle } = require('../lib/words');

/** DATABASE_URL and the like are variables, because every account can read arguments. */
const options = {
  data: option('DIR', 'load the six CSVs of this folder instead of the sample'),
  products: option('N', 'products in the generated sample', '10000'),
  port: option('P', 'public port, nginx (default 8080)'),
  certificate: option('FILE', 'serve HTTPS too, HTTP/2 with a patched nginx; with its chain'),
  key: option('FILE', 'private key of the certificate'),
  'tls-port': option('P', 'public HTTPS port (default 8443)'),
  workers: option('N', 'worker processes (default one per core)', String(os.availableParallelism())),
  'worker-port': option('P', 'port of the first worker, the others follow (default 3030)'),
  'admin-port': option('P', "port of the first worker's health and metrics (default 9030)"),
  'write-port': option('P', 'port of the writer, its health and metrics follow (default 7030)'),
  state: option('DIR', 'folder of the databases, logs and secrets (default .state of the clone)'),
  watch: toggle('restart the workers when a file of server/ is saved'),
  fresh: toggle('load again even when the catalog has products'),
};

const help = helpOf(
  'npm start -- [options] [-- options of the loader]',
  {
    about: 'Starts everything, prints "ready URL", and stops at Ctrl-C.',
    more:
      'A default port that is taken is replaced by the next free one, which is printed; a port that you name is not.\n' +
      'DATABASE_URL, REDIS_URL and other variables of the environment: scripts/README.md.',
  },
  options,
);

/** @typedef {ReturnType<typeof parseStartOptions>} StartOptions */

/** @param {string[]} words what follows `npm start --` @throws {UsageError} */
function parseStartOptions(words) {
  const { values, further } = parseWords('npm start', { args: words, options, further: loadOptions });
  const workers = wholeNumber('workers', values.workers, 256);
  const data = values.data && fromCaller(values.data);
  return {
    help: Boolean(values.help),
    fresh: Boolean(values.fresh),
    watch: Boolean(values.watch),
    data, // absolute, as all paths
    loader: values.help ? [] : requireStartOptions(further, data), // options that the loader gets
    products: wholeNumber('products', values.products, 100_000_000),
    tls: parseTls(values),
    workers,
    ports: namedPorts(values),
    state: stateFolder(values.state),
  };
}

/** @param {Record<string, any>} values @returns {Partial<Record<import('./ports').PortOption, number>>} */
function namedPorts(values) {
  const named = Object.keys(portOptions).filter((name) => values[name] !== undefined);
  return Object.fromEntries(named.map((name) => [name, wholeNumber(name, values[name], lastPort)]));
}

/** @param {Record<string, any>} values @returns {{ certificate: string, key: string } | undefined} */
function parseTls({ certificate, key }) {
  if (!certificate && !key) return undefined;
  if (!certificate || !key) throw new UsageError('--certificate and --key belong together');
  return { certificate: fromCaller(certificate), key: fromCaller(key) };
}

/** Options of the loader's command `load`. A test compares them with the loader's own (etl/cli.py). @type {import('../lib/words').Options} */
const loadOptions = {
  'database-url': { type: 'string' },
  jobs: { type: 'string' },
  rejects: { type: 'string' },
  chunk: { type: 'string' },
  'max-reject': { type: 'string' },
  campus: { type: 'string' },
  'no-search': { type: 'boolean' },
  language: { type: 'string' },
  'as-of': { type: 'string' },
  'max-rejected-writes': { type: 'string' },
  'drop-writes': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  again: { type: 'boolean' },
  check: { type: 'boolean' },
  help: { type: 'boolean' },
};

/** Options that `npm start` sets itself, and what to use instead. @type {Record<string, string>} */
const decidedByStart = {
  'database-url': 'set DATABASE_URL',
  'dry-run': 'use npm run load -- DIR -- --dry-run on a running stack',
  again: 'use --fresh',
  check: 'npm start checks the files by itself',
  help: 'use npm run etl -- load --help',
};

/**
 * @param {string} name of the command as it is typed @param {string[]} words that follow the second `--`
 * @returns {string[]} the same @throws {UsageError} for what the loader does not take
 */
function requireLoaderOptions(name, words) {
  parseWords(`${name} …`, { options: loadOptions, args: words, hint: 'npm run etl -- load --help shows the options' });
  return words;
}

/** @param {string[]} words @param {string | undefined} data @returns {string[]} the same @throws {UsageError} */
function requireStartOptions(words, data) {
  requireLoaderOptions('npm start -- --data DIR --', words);
  const typed = words.map((word) => word.replace(/^--/, '').replace(/=.*/, ''));
  const refused = typed.find((name) => Object.hasOwn(decidedByStart, name));
  if (refused) throw new UsageError(`--${refused} is not for npm start: ${decidedByStart[refused]}`);
  if (words.length > 0 && !data)
    throw new UsageError(`options of the loader need --data: type npm start -- --data DIR -- ${shellLine(words)}`);
  return words;
}

module.exports = { help, loadOptions, parseStartOptions, requireLoaderOptions };
