'use strict';
const { stateFolder } = require('../lib/state');
const { fromCaller, UsageError } = require('../lib/command-line');
const { parseWords, requireOneOf } = require('../lib/words');
const { questionOf, tests } = require('./commands');

const routes = ['list', 'product', 'styles', 'related'];

/** @type {{ name: string, value?: string, text: string }[]} */
const optionTable = [
  {
    name: 'route',
    value: 'R',
    text: 'list, product, styles, related, mix or all; several by comma',
  },
  { name: 'rates', value: 'N,…', text: 'requests a second of each rung (default 1,10,100,1000)' },
  { name: 'rate', value: 'N', text: 'requests a second of a test with one rate; of smoke for each route' },
  { name: 'duration', value: 'T', text: 'of a rung or a phase: 90s, 5m or 2h' },
  { name: 'rounds', value: 'N', text: 'bursts (default 20)' },
  { name: 'budget', value: 'MS', text: 'for 99 of 100 requests (default 10)' },
  { name: 'url', value: 'URL', text: 'the service (default: the stack that runs on --state)' },
  {
    name: 'metrics',
    value: 'URL,…',
    text: "workers' /metrics to draw (default: those of the stack)",
  },
  { name: 'database', value: 'URL', text: 'that each reply is compared with (default: that of the stack)' },
  { name: 'state', value: 'DIR', text: 'state folder of the stack (default .state)' },
  { name: 'cores', value: 'LIST', text: 'that k6 keeps to, as 1 or 2-3 (default: all)' },
  { name: 'insecure', text: 'accept any certificate' },
  { name: 'help', text: 'show this and stop' },
];

/** @returns {string} */
function helpText() {
  const commands = Object.keys(tests).map((name) => `  ${name.padEnd(18)}${questionOf(name)}`);
  const options = optionTable.map(({ name, value, text }) =>
    `  --${name}${value ? ` ${value}` : ''}`.padEnd(20).concat(text),
  );
  return [
    'npm run k6 -- TEST [options]',
    'npm run k6 -- compare A B     two results side by side; A and B are folders',
    '',
    ...commands,
    '',
    ...options,
    '',
    'Results go to results/k6/. Status 1: a budget was missed. Status 2: nothing was measured.',
  ].join('\n');
}

/** @param {string} name @param {string | undefined} text @param {RegExp} pattern @param {string} kind */
function requireForm(name, text, pattern, kind) {
  if (text !== undefined && !pattern.test(text)) {
    throw new UsageError(`--${name} ${text}: must be ${kind}`);
  }
}

/** @param {string} text @returns {string[]} */
function routesOf(text) {
  const names = text.split(',').flatMap((name) => (name === 'all' ? routes : [name]));
  const unknown = names.find((name) => ![...routes, 'mix'].includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`--route ${unknown}: use ${routes.join(', ')}, mix or all`);
  }
  return [...new Set(names)];
}

/**
 * @typedef {object} Options
 * @property {string} test
 * @property {string[]} routes
 * @property {Record<string, string>} env what the k6 scripts read
 * @property {string | undefined} url
 * @property {string[] | undefined} metrics addresses
 * @property {string} state absolute
 * @property {string | undefined} database
 * @property {string | undefined} cores a list as taskset reads it
 */

/** @param {string[]} words @returns {{ values: Record<string, any>, positionals: string[] }} */
function valuesOf(words) {
  const options = Object.fromEntries(
    optionTable.map(({ name, value }) => [
      name,
      { type: value ? /** @type {const} */ ('string') : /** @type {const} */ ('boolean') },
    ]),
  );
  return parseWords('npm run k6', { args: words, options, words: ['TEST'], actions: { compare: ['A', 'B'] } });
}

/** @param {string} test @param {Record<string, any>} values @returns {string} the test */
function requireMeaning(test, values) {
  requireOneOf('test', test, [...Object.keys(tests), 'compare']);
  const own = ['route', 'rates', 'rate', 'duration', 'rounds', 'budget'];
  const idle = own.find((name) => values[name] !== undefined && !tests[test].needs.includes(name));
  if (idle) throw new UsageError(`--${idle} means nothing to ${test}`);
  const number = [/^[1-9]\d{0,5}$/, 'a whole number from 1 to 999999'];
  for (const name of ['rate', 'rounds', 'budget']) {
    requireForm(name, values[name], .../** @type {[RegExp, string]} */ (number));
  }
  requireForm('rates', values.rates, /^[1-9]\d{0,5}(,[1-9]\d{0,5})*$/, 'whole numbers like 1,10');
  const rates = values.rates?.split(',') ?? [];
  if (new Set(rates).size < rates.length) throw new UsageError(`--rates ${values.rates}: each rate once`);
  requireForm('duration', values.duration, /^[1-9]\d*[smh]$/, 'like 90s, 5m or 2h');
  requireForm('cores', values.cores, /^\d+(-\d+)?(,\d+(-\d+)?)*$/, 'numbers of cores, as 1 or 2-3');
  requireForm('database', values.database, /^postgres(ql)?:\/\/./, 'like postgresql://catalog_api@10.0.0.20/catalog');
  requireForm('url', values.url, /^https?:\/\/[^/]+/, 'like http://127.0.0.1:8080');
  return test;
}

/**
 * @param {string[]} words what follows `npm run k6 --`
 * @returns {{ help: true } | { compare: string[] } | Options}
 * @throws {UsageError}
 */
function parseOptions(words) {
  const { values, positionals } = valuesOf(words);
  const [named, ...rest] = positionals;
  if (values.help) return { help: true };
  if (named === 'compare') return { compare: rest.map(fromCaller) };
  const test = requireMeaning(named, values);
  const variables = { RATES: 'rates', RATE: 'rate', DURATION: 'duration', ROUNDS: 'rounds', P99_MS: 'budget' };
  const env = Object.entries(variables)
    .filter(([, name]) => values[name] !== undefined)
    .map(([variable, name]) => [variable, values[name]]);
  if (values.insecure) env.push(['K6_INSECURE_SKIP_TLS_VERIFY', 'true']);
  return {
    test,
    routes: routesOf(values.route ?? (test === 'breakpoint' ? 'all,mix' : 'all')),
    env: Object.fromEntries(env),
    url: values.url?.replace(/\/$/, ''),
    metrics: values.metrics?.split(','),
    state: stateFolder(values.state),
    database: values.database,
    cores: values.cores,
  };
}

module.exports = { helpText, parseOptions };
