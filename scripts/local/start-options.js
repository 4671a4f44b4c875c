'use strict';
const os = require('node:os');
const { lastPort, portOptions } = require('./ports');
const { stateFolder } = require('./state');
const { fromCaller, UsageError, wholeNumber } = require('../lib/command-line');
const { helpOf } = require('../lib/help');
const { loadOptions, requireStartOptions } = require('./loader-options');
const { option, parseWords, toggle } = require('../lib/words');

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

module.exports = { help, parseStartOptions };
