'use strict';
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { rateLimitOf } = require('../../nginx/rate-limit');
const { requireQuotable } = require('../../nginx/render');
const { ConfigError, loadConfig, loadWriterConfig } = require('../../server/config/config');
const { partsOfPostgres } = require('../../server/config/values');
const { environment } = require('../lib/environment');
const { pm2Environment } = require('./pm2');
const { describeState } = require('./state');
const { UsageError } = require('../lib/command-line');

/* Checks the environment of `npm start` before anything is started, with the checks of the parts that use it. */

/** Instead of the embedded PostgreSQL's address, which is not known yet. */
const someDatabase = 'postgres://catalog_api@/catalog';

/** @param {() => unknown} check @returns {string[]} what it refuses */
function problemsOf(check) {
  try {
    check();
    return [];
  } catch (error) {
    return error instanceof ConfigError ? error.problems : [/** @type {Error} */ (error).message];
  }
}

/** @param {NodeJS.ProcessEnv} env @param {string} name @param {(value: string) => unknown} check @returns {string[]} */
const ofVariable = (env, name, check) =>
  problemsOf(() => env[name] && check(env[name])).map((problem) => `${name}: ${problem}`);

/** Settings of the workers and of the writer, by their own checks. @param {string} state folder @param {NodeJS.ProcessEnv} env */
function ofPrograms(state, env) {
  const settings = {
    DATABASE_URL: env.API_DATABASE_URL || someDatabase,
    WRITE_DATABASE_URL: env.WRITE_DATABASE_URL || someDatabase,
    REDIS_URL: env.REDIS_URL ?? '',
  };
  const given = pm2Environment(describeState(state), settings);
  const problems = [...problemsOf(() => loadConfig(given)), ...problemsOf(() => loadWriterConfig(given))];
  return [...new Set(problems)].map((line) => line.replace(/^DATABASE_URL:/, 'API_DATABASE_URL:'));
}

/** As etl/cli.py, which checks it only after the sample was generated. @param {string} campus */
function requireCampus(campus) {
  if (/[\r\n\uFFFD]/.test(campus)) throw new Error('must be one line of UTF-8');
}

/** As etl/arguments.py. @param {string} code */
function requireLanguage(code) {
  if (!/^([a-z]{2}|none)$/.test(code)) throw new Error('must be the code of a language, such as en, or none');
}

/** @param {string} program a path, or a name on the PATH */
function requireProgram(program) {
  const { error } = spawnSync(program, ['-v'], { env: environment('server') });
  if (error) throw new Error(`${program} is not a program that can be run`);
}

/** @param {string} state folder @throws {UsageError} a line for each that is wrong */
function requireSettings(state) {
  const { env } = process;
  const problems = [
    ...ofVariable(env, 'DATABASE_URL', partsOfPostgres),
    ...problemsOf(() => rateLimitOf(env)),
    ...ofVariable(env, 'CAMPUS', requireCampus),
    ...ofVariable(env, 'SEARCH_LANGUAGE', requireLanguage),
    ...ofVariable(env, 'NGINX_BIN', requireProgram),
    ...ofVariable(env, 'VALKEY_BIN', requireProgram),
    ...ofVariable(env, 'POSTGRES_BIN_DIR', (folder) => requireProgram(path.join(folder, 'postgres'))),
    ...ofPrograms(state, env),
    ...problemsOf(() => requireQuotable([state])),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
}

module.exports = { requireSettings };
