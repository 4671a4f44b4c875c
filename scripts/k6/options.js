'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../lib/runtime');
const { findStack, runningStack, stateFolder } = require('../local/state');
const { UsageError } = require('../lib/command-line');
const { parseWords, requireOneOf } = require('../lib/words');
const { checkFlags } = require('./flags');

/**
 * What `npm run k6` can do. `needs` names the options of a test beyond the common ones; `atOnce`: its
 * steps run at the same time.
 * @type {Record<string, { needs: string[], atOnce?: boolean }>}
 */
const tests = {
  smoke: { needs: ['route', 'rate', 'duration'], atOnce: true },
  ladder: { needs: ['route', 'rates', 'duration', 'budget'] },
  breakpoint: { needs: ['route', 'budget'] },
  mix: { needs: ['rate', 'duration', 'budget'] },
  spike: { needs: ['rate', 'duration', 'budget'] },
  soak: { needs: ['rate', 'duration', 'budget'] },
  burst: { needs: ['rounds'] },
  writes: { needs: ['rate', 'duration', 'budget'], atOnce: true },
};

/** @param {string} name */
const scriptOf = (name) => path.join(root, 'k6', `${name}.js`);

/** @param {string} name @returns {string} the question that its file opens with */
function questionOf(name) {
  const text = fs.readFileSync(scriptOf(name), 'utf8');
  const [, question] = /^\/\*\*\s+\* ([^?]*\?)/.exec(text) ?? [];
  if (!question) throw new Error(`k6/${name}.js does not open with a question`);
  return question.replace(/\n \* /g, ' ');
}

/** As in k6/lib/routes.js and in the service's metrics. `list` is an older name of `products`. */
const routes = ['products', 'product', 'styles', 'related'];
/** Those beyond the Atelier API, which `all` leaves out: the database has no digests of their bodies. */
const more = ['batch', 'included', 'search', 'suggest', 'catalog', 'export'];
/** @type {Record<string, string[]>} */
const groups = { all: routes, every: [...routes, ...more], list: ['products'] };

/** @type {[RegExp, string]} */
const number = [/^[1-9]\d{0,5}$/, 'a whole number from 1 to 999999'];

/** What a value must match. @type {Record<string, [RegExp, string]>} */
const forms = {
  ...{ rate: number, rounds: number, budget: number },
  rates: [/^[1-9]\d{0,5}(,[1-9]\d{0,5})*$/, 'whole numbers like 1,10'],
  duration: [/^[1-9]\d*[smh]$/, 'like 90s, 5m or 2h'],
  url: [/^https?:\/\/[^/]+/, 'like http://127.0.0.1:8080'],
  database: [/^postgres(ql)?:\/\/./, 'like postgresql://catalog_api@10.0.0.20/catalog'],
};

/** @type {{ name: string, value?: string, text: string }[]} */
const table = [
  {
    name: 'route',
    value: 'R',
    text: `${routes.join(', ')}, mix, all (the four), ${more.join(', ')} or every (all of them); several by comma`,
  },
  { name: 'rates', value: 'N,…', text: 'requests a second of each step (default 1,10,100,1000)' },
  { name: 'rate', value: 'N', text: 'requests a second of a test with one rate; smoke: of each of the four routes' },
  { name: 'duration', value: 'T', text: 'of a step: 90s, 5m or 2h' },
  { name: 'rounds', value: 'N', text: 'number of bursts (default 20)' },
  { name: 'budget', value: 'MS', text: 'for 99 of 100 requests (default 10)' },
  { name: 'url', value: 'URL', text: 'the service (default: the stack that runs on --state)' },
  { name: 'metrics', value: 'URL,…', text: '/metrics of all workers (default: those of the stack)' },
  { name: 'database', value: 'URL', text: 'compare each reply with it (default: that of the stack, without --url)' },
  { name: 'state', value: 'DIR', text: 'state folder of the stack (default .state)' },
  { name: 'help', text: 'show this and stop' },
];

/** @returns {string} */
function helpText() {
  const line = (/** @type {string} */ head, /** @type {string} */ text) => `  ${head.padEnd(18)}${text}`;
  return [
    'npm run k6 -- TEST [options] [-- flags of k6 run]',
    '',
    ...Object.keys(tests).map((name) => line(name, questionOf(name))),
    '',
    ...table.map(({ name, value, text }) => line(`--${name}${value ? ` ${value}` : ''}`, text)),
    '',
    'Results go to results/k6/. Status 1: the test failed. Status 2: nothing was measured.',
  ].join('\n');
}

/** @param {string} text @returns {string[]} */
function routesOf(text) {
  const names = text.split(',').flatMap((name) => groups[name] ?? name);
  const unknown = names.find((name) => ![...routes, ...more, 'mix'].includes(name));
  if (unknown !== undefined)
    throw new UsageError(`--route ${unknown}: use ${routes.join(', ')}, mix or all; also ${more.join(', ')} or every`);
  return [...new Set(names)];
}

/**
 * `env`: variables of the k6 scripts. `flags`: of k6 run.
 * @typedef {{ test: string, routes: string[], env: Record<string, string>, url?: string, metrics?: string[], state: string,
 *   database?: string, flags: string[] }} Options
 */

/** @param {string} test @param {Record<string, any>} values @throws {UsageError} */
function requireMeaning(test, values) {
  requireOneOf('test', test, Object.keys(tests));
  const own = ['route', 'rates', 'rate', 'duration', 'rounds', 'budget'];
  const idle = own.find((name) => values[name] !== undefined && !tests[test].needs.includes(name));
  if (idle) throw new UsageError(`--${idle} has no meaning for ${test}`);
  for (const [name, [pattern, kind]] of Object.entries(forms))
    if (values[name] !== undefined && !pattern.test(values[name]))
      throw new UsageError(`--${name} ${values[name]}: must be ${kind}`);
  const rates = values.rates?.split(',') ?? [];
  if (new Set(rates).size < rates.length) throw new UsageError(`--rates ${values.rates}: each rate once`);
}

/**
 * @param {string[]} words what follows `npm run k6 --`
 * @returns {{ help: true } | Options}
 * @throws {UsageError}
 */
function parseOptions(words) {
  const options = /** @type {import('../lib/words').Options} */ (
    Object.fromEntries(table.map(({ name, value }) => [name, { type: value ? 'string' : 'boolean' }]))
  );
  const config = { args: words, options, words: ['TEST'], further: {} };
  const { values: given, positionals, further } = parseWords('npm run k6', config);
  const values = /** @type {Record<string, any>} */ (given);
  const [test] = positionals;
  if (values.help) return { help: true };
  requireMeaning(test, values);
  const variables = { RATES: 'rates', RATE: 'rate', DURATION: 'duration', ROUNDS: 'rounds', P99_MS: 'budget' };
  const env = Object.entries(variables).flatMap(([variable, name]) => (values[name] ? [[variable, values[name]]] : []));
  return {
    test,
    routes: routesOf(values.route ?? { breakpoint: 'all,mix', smoke: 'every' }[test] ?? 'all'),
    env: Object.fromEntries(env),
    url: values.url?.replace(/\/$/, ''),
    metrics: values.metrics?.split(','),
    state: stateFolder(values.state),
    database: values.database,
    flags: checkFlags(further),
  };
}

/**
 * What is measured, and where its workers publish metrics.
 * `workers`: as host:port, if they are known. `writer`: its URL, if it is known. `database`: has the correct replies.
 * @typedef {{ url: string, metrics: string[], workers: string[], writer: string | undefined, database: string | undefined }} Target
 */

/**
 * @param {Pick<Options, 'url' | 'metrics' | 'state' | 'database'>} options
 * @returns {Target}
 * @throws {UsageError} when no stack runs and none is named
 */
function findTarget({ url, metrics, state, database }) {
  const stack = findStack(state);
  const measured = url ?? runningStack(state, 'name the service: --url URL').url;
  // The metrics and the database of the stack on this machine say nothing about a service elsewhere.
  const own = stack && [stack.url, stack.httpsUrl].includes(measured) ? stack : undefined;
  const { adminPorts = [], workerPorts = [], writePorts = [] } = own ?? {};
  const loopback = (/** @type {number} */ port) => `127.0.0.1:${port}`;
  return {
    url: measured,
    metrics: metrics ?? adminPorts.map((port) => `http://${loopback(port)}/metrics`),
    workers: workerPorts.map(loopback),
    writer: process.env.WRITER_URL ?? writePorts.slice(0, 1).map((port) => `http://${loopback(port)}`)[0],
    database: database ?? own?.loaderDsn,
  };
}

module.exports = { findTarget, helpText, parseOptions, questionOf, scriptOf, tests };
