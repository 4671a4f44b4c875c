'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { lackOf } = require('../lib/floors');
const { helpOf } = require('../lib/help');
const { root } = require('../lib/runtime');
const { findStack, runningStack, stateFolder } = require('../local/state');
const { UsageError } = require('../lib/command-line');
const { option, parseWords, requireOneOf } = require('../lib/words');
const { checkFlags } = require('./flags');

/** Tests of `npm run k6`, with their options beyond the common ones. @type {Record<string, string[]>} */
const tests = {
  smoke: ['route', 'rate', 'duration'],
  ladder: ['route', 'rates', 'duration', 'budget'],
  breakpoint: ['route', 'rate', 'duration', 'budget'],
  mix: ['rate', 'duration', 'budget'],
  spike: ['rate', 'duration', 'budget'],
  soak: ['rate', 'duration', 'budget'],
  burst: ['rounds'],
  writes: ['rate', 'duration', 'budget'],
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
const more = [
  'batch',
  'included',
  'sku',
  'skus',
  'search',
  'suggest',
  'catalog',
  'export',
  'sitemap',
  'feed',
  'ucp',
  'mcp',
];
/** @type {Record<string, string[]>} */
const groups = { all: routes, every: [...routes, ...more], list: ['products'] };

/** @type {Record<string, [RegExp, string]>} what a value must match, and that in words */
const forms = {
  number: [/^[1-9]\d{0,5}$/, 'a whole number from 1 to 999999'],
  numbers: [/^[1-9]\d{0,5}(,[1-9]\d{0,5})*$/, 'whole numbers like 1,10'],
  time: [/^[1-9]\d*[smh]$/, 'like 90s, 5m or 2h'],
  web: [/^https?:\/\/[^/]+/, 'like http://127.0.0.1:8080'],
  dsn: [/^postgres(ql)?:\/\/./, 'like postgresql://catalog_api@10.0.0.20/catalog'],
  any: [/./, ''],
};
const routeText = `${routes.join(', ')}, mix, all (the four), ${more.join(', ')} or every (all of them); several by comma`;

/** Name, value, form, text. @type {[string, string, string, string][]} */
const table = [
  ['route', 'R', 'any', routeText],
  ['rates', 'N,…', 'numbers', 'requests a second of each step (default 1,10,100,1000)'],
  ['rate', 'N', 'number', 'requests a second; smoke: of each of the four routes; breakpoint: at its start'],
  ['duration', 'T', 'time', 'of a step; breakpoint: until the rate has doubled'],
  ['rounds', 'N', 'number', 'number of bursts (default 20)'],
  ['budget', 'MS', 'number', 'milliseconds for 99 of 100 requests (default 10)'],
  ['url', 'URL', 'web', 'the service (default: the stack that runs on --state)'],
  ['metrics', 'URL,…', 'any', '/metrics of all workers (default: those of the stack)'],
  ['database', 'URL', 'dsn', 'compare each reply with it (default: that of the stack, without --url)'],
  ['state', 'DIR', 'any', 'state folder of the stack (default .state)'],
];

const options = Object.fromEntries(table.map(([name, value, , about]) => [name, option(value, about)]));

const helpText = () =>
  helpOf(
    'npm run k6 -- TEST [options] [-- flags of k6 run]',
    {
      about: 'Asks one question of a running service, at a fixed rate of requests, and checks every reply.',
      rows: Object.keys(tests).map((name) => [name, questionOf(name)]),
      more: 'Results go to results/k6/. Status 1: a target was missed. Status 2: nothing was measured.',
    },
    options,
  );

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
  const idle = own.find((name) => values[name] !== undefined && !tests[test].includes(name));
  if (idle) throw new UsageError(`--${idle} has no meaning for ${test}`);
  for (const [name, , form] of table)
    if (values[name] !== undefined && !forms[form][0].test(values[name]))
      throw new UsageError(`--${name} ${values[name]}: must be ${forms[form][1]}`);
  const rates = values.rates?.split(',') ?? [];
  if (new Set(rates).size < rates.length) throw new UsageError(`--rates ${values.rates}: each rate once`);
}

/**
 * @param {string[]} words what follows `npm run k6 --`
 * @returns {{ help: true } | Options}
 * @throws {UsageError}
 */
function parseOptions(words) {
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
 * The service that is measured. `httpsUrl`: serves HTTP/2; `noHttp2`: why it does not. `metrics`: addresses of its workers. `writer`: its URL.
 * `database`: has the correct replies.
 * @typedef {{ url: string, httpsUrl?: string, noHttp2: string, metrics: string[], writer?: string, database?: string }} Target
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
  const httpsUrl = measured.startsWith('https:') ? measured : own?.httpsUrl;
  const nginx = own?.programs?.find(({ program }) => program === 'nginx');
  const loopback = (/** @type {number} */ port) => `http://127.0.0.1:${port}`;
  return {
    url: measured,
    httpsUrl,
    noHttp2: httpsUrl ? ((nginx && lackOf(nginx)) ?? '') : 'it needs TLS: npm start --certificate, or an https --url',
    metrics: metrics ?? (own?.adminPorts ?? []).map((port) => `${loopback(port)}/metrics`),
    writer: process.env.WRITER_URL ?? (own?.writePorts ?? []).slice(0, 1).map(loopback)[0],
    database: database ?? own?.loaderDsn,
  };
}

module.exports = { findTarget, helpText, parseOptions, questionOf, scriptOf, tests };
