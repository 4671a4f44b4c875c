'use strict';

const { EnvMissingError, cleanEnv } = require('envalid');

const { SETTINGS } = require('./settings');
const { WRITER_SETTINGS } = require('./writer-settings');

/** Relations between two settings; the error names the first one. */
const PAIRS = /** @type {const} */ ([
  // The server stops its query before the worker drops the connection.
  ['PG_LOCK_TIMEOUT_MS', 'be below', 'PG_STATEMENT_TIMEOUT_MS'],
  ['PG_STATEMENT_TIMEOUT_MS', 'be below', 'PG_QUERY_TIMEOUT_MS'],
  ['PG_BULK_STATEMENT_TIMEOUT_MS', 'be below', 'PG_BULK_QUERY_TIMEOUT_MS'],
  ['DRAIN_GRACE_MS', 'be below', 'DRAIN_DEADLINE_MS'],
  // node:http throws at its listener.
  ['HTTP_HEADERS_TIMEOUT_MS', 'not be above', 'HTTP_REQUEST_TIMEOUT_MS'],
]);

/** The profile of a shop: all of them, or none. */
const SHOP = /** @type {const} */ (['SHOP_NAME', 'SHOP_CURRENCY', 'SHOP_PRODUCT_URL']);

/** The package is optional: a clone without a key is installed without it. */
const HOW_TO_INSTALL = 'in a clone run npm ci --include=optional; a release of npm run fleet -- release has it';

const HOW_TO_NAME_SERVERS =
  'name every server in DATABASE_URL, the nearest first: postgres://catalog_api:PASSWORD@REPLICA:5432,PRIMARY:5432/catalog';

function hasAgent() {
  try {
    return Boolean(require.resolve('newrelic'));
  } catch {
    return false;
  }
}

/** Every problem of the environment. */
class ConfigError extends Error {
  /** @param {string[]} problems a line each */
  constructor(problems) {
    super(`It does not start. Fix these settings:\n  ${problems.join('\n  ')}`);
    this.problems = problems;
  }
}

/** @typedef {Readonly<import('envalid').CleanedEnv<typeof SETTINGS>>} Config */
/** @typedef {Config & Readonly<import('envalid').CleanedEnv<typeof WRITER_SETTINGS>>} WriterConfig */

/**
 * @template {Record<string, import('envalid').ValidatorSpec<any>>} S
 * @param {S} settings @param {NodeJS.ProcessEnv} env @param {Map<string, string>} problems by setting
 */
function read(settings, env, problems) {
  return cleanEnv(env, settings, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors))
        problems.set(name, `${reasonOf(error)}${seen(name, env[name], error)} (${settings[name].desc})`);
    },
  });
}

/** envalid's own message for a missing setting is the description. @param {Error | undefined} error */
const reasonOf = (error) => (error instanceof EnvMissingError ? 'is required' : error?.message);

/**
 * The value, for the error message. An address holds a password and is not shown; envalid's own messages include the value.
 * @param {string} name @param {string} [value] @param {Error} [error]
 */
const seen = (name, value, error) =>
  !value?.trim() || /_URL$/.test(name) || error?.message.includes(JSON.stringify(value))
    ? ''
    : `, not ${JSON.stringify(value)}`;

/**
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Config}
 * @throws {ConfigError} one line per problem, so that an operator fixes them in one go
 */
function loadConfig(env = process.env) {
  /** @type {Map<string, string>} */
  const problems = new Map();
  const config = read(SETTINGS, env, problems);
  for (const [name, relation, other] of PAIRS) {
    if (problems.has(name) || problems.has(other)) continue; // envalid throws when a wrong one is read
    const excess = config[name] - config[other];
    if (excess > 0 || (excess === 0 && relation === 'be below'))
      problems.set(name, `must ${relation} ${other} (${config[other]}), not ${config[name]}`);
  }
  const missing = SHOP.filter((name) => !problems.has(name) && !config[name].trim());
  if (missing.length < SHOP.length)
    for (const name of missing) problems.set(name, `is required too: set ${SHOP.join(', ')}, or none of them`);
  if (env.REPLICA_DATABASE_URL) problems.set('REPLICA_DATABASE_URL', 'is no longer read: ' + HOW_TO_NAME_SERVERS);
  if (config.NEW_RELIC_LICENSE_KEY && !hasAgent())
    problems.set('NEW_RELIC_LICENSE_KEY', 'needs the package newrelic, which is not installed: ' + HOW_TO_INSTALL);
  refuse(problems);
  return config;
}

/** @param {Map<string, string>} problems by setting @throws {ConfigError} if there are any */
function refuse(problems) {
  if (problems.size > 0) throw new ConfigError([...problems].map(([name, problem]) => `${name}: ${problem}`));
}

/**
 * The writer has an address, ports and a database of its own, none of the caches, and shares all other settings.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {WriterConfig}
 * @throws {ConfigError} one line per problem
 */
function loadWriterConfig(env = process.env) {
  /** @type {Map<string, string>} */
  const problems = new Map();
  const own = read(WRITER_SETTINGS, env, problems);
  refuse(problems);
  const shared = loadConfig({
    ...env,
    HOST: own.WRITE_HOST,
    PORT: String(own.WRITE_PORT),
    ADMIN_PORT: String(own.WRITE_ADMIN_PORT),
    DATABASE_URL: own.WRITE_DATABASE_URL,
    REDIS_URL: '',
    PG_POOLED: 'false',
    OTLP_TRACES_URL: '',
    NEW_RELIC_LICENSE_KEY: '',
  });
  return { ...shared, ...own };
}

/**
 * The New Relic agent reads the environment by itself, throws without a name, and by default writes a log file into
 * the working folder. It also looks up the file of each request's handler, which is always the same: a fifth of the
 * agent's cost. Values that the operator has set stay.
 * @param {Config} config @param {NodeJS.ProcessEnv} [env]
 */
function prepareAgent({ NEW_RELIC_APP_NAME }, env = process.env) {
  const defaults = {
    NEW_RELIC_NO_CONFIG_FILE: 'true',
    NEW_RELIC_LOG: 'stdout',
    NEW_RELIC_LOG_LEVEL: 'warn',
    NEW_RELIC_CODE_LEVEL_METRICS_ENABLED: 'false',
  };
  Object.assign(env, { ...defaults, ...env, NEW_RELIC_APP_NAME });
}

exports.ConfigError = ConfigError;
exports.loadConfig = loadConfig;
exports.loadWriterConfig = loadWriterConfig;
exports.prepareAgent = prepareAgent;
