'use strict';
const { createRoles, loginRoles, withClient } = require('./roles');
const { secretsOf } = require('./state');
const { UsageError } = require('../lib/command-line');

/** @typedef {{ loader: string, api: string, writer?: string }} Dsns without the last one nothing is written */

const oldestVersion = 150_000; // PostgreSQL 15, as server_version_num counts

/** @param {string} dsn */
const withoutPassword = (dsn) => dsn.replace(/^([a-z]+:\/\/[^:/@]*):[^@]*@/, '$1:***@');

/**
 * Not by `new URL`: it refuses credentials without a host, which is how a DSN over a Unix socket looks.
 * @param {string} dsn @param {string} user @param {string} password
 */
function asRole(dsn, user, password) {
  const [, scheme, rest] = /^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?(.*)$/.exec(dsn) ?? [];
  if (!scheme) throw new UsageError('DATABASE_URL must start with postgres://');
  return `${scheme}${user}:${password}@${rest}`;
}

/** @type {Record<string, string>} */
const nextSteps = {
  ECONNREFUSED: 'start the server, or correct host and port',
  ENOTFOUND: 'correct the host name',
  ENOENT: 'no such socket: correct the host',
  '28P01': 'correct the user or the password',
  28000: 'correct the user, or allow it in pg_hba.conf',
  '3D000': 'create the database, or correct its name',
};

/**
 * @template T
 * @param {string} name of the variable with the DSN @param {string} dsn @param {(client: import('pg').Client) => Promise<T>} work
 * @returns {Promise<T>} @throws {UsageError}
 */
const reach = (name, dsn, work) =>
  withClient(dsn, work).catch((error) => {
    const reason = error.errors?.[0]?.message ?? error.message; // several addresses of one host fail as one error
    const code = error.code ?? error.errors?.[0]?.code;
    const next = nextSteps[code] ?? 'correct it, or unset it to use the embedded server';
    throw new UsageError(`${name} ${withoutPassword(dsn)}: ${reason}: ${next}`);
  });

/**
 * Queries what the role may do, before anything is changed.
 * @param {string} dsn @returns {Promise<{ version: number, createsRoles: boolean, apiRole: boolean, apiSessions: number }>}
 */
async function inspect(dsn) {
  const sql = `SELECT current_setting('server_version_num')::int AS version,
      (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) AS "createsRoles",
      EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS "apiRole",
      (SELECT count(*)::int FROM pg_stat_activity WHERE usename = $1) AS "apiSessions"`;
  const { rows } = await reach('DATABASE_URL', dsn, (client) => client.query(sql, [loginRoles.api]));
  return rows[0];
}

/** @param {string} dsn @returns {Promise<boolean>} */
const letsIn = (dsn) => withClient(dsn, async () => true).catch(() => false);

/**
 * Prepares a PostgreSQL that already runs: its roles get passwords that only this state folder knows.
 * @param {import('./state').State} state @param {NodeJS.ProcessEnv} env DATABASE_URL, API_DATABASE_URL, WRITE_DATABASE_URL
 * @returns {Promise<Dsns>} @throws {UsageError}
 */
async function useDatabase(state, env) {
  const owner = /** @type {string} */ (env.DATABASE_URL);
  if (!/^postgres(ql)?:\/\//.test(owner)) throw new UsageError('DATABASE_URL must start with postgres://');
  const { version, createsRoles, apiRole, apiSessions } = await inspect(owner);
  if (version < oldestVersion) {
    throw new UsageError(`DATABASE_URL: PostgreSQL ${Math.floor(version / 10_000)} is too old, use 15 or later`);
  }
  if (env.API_DATABASE_URL) {
    await reach('API_DATABASE_URL', env.API_DATABASE_URL, async () => {});
    return { loader: owner, api: env.API_DATABASE_URL, writer: env.WRITE_DATABASE_URL };
  }
  const names = ['loader', 'api', 'writer'].map((role) => `${role}Password`);
  const { loaderPassword, apiPassword, writerPassword } = secretsOf(state, names);
  const dsns = {
    loader: asRole(owner, loginRoles.loader, loaderPassword),
    api: asRole(owner, loginRoles.api, apiPassword),
    writer: asRole(owner, loginRoles.writer, writerPassword),
  };
  const isOurs = apiRole && (await letsIn(dsns.api)) && (await letsIn(dsns.loader));
  if (isOurs && (await letsIn(dsns.writer))) return dsns;
  // A database of an earlier release, which has no such role.
  if (isOurs && !createsRoles) return { ...dsns, writer: env.WRITE_DATABASE_URL };
  if (!createsRoles) {
    throw new UsageError(
      `DATABASE_URL ${withoutPassword(owner)} may not create roles: let an administrator run db/roles.sql, ` +
        'then give the role catalog_api as API_DATABASE_URL',
    );
  }
  if (apiSessions > 0 && !isOurs) {
    throw new UsageError(
      'DATABASE_URL: another service is connected as catalog_api, and its password is not ours to change: ' +
        'give it as API_DATABASE_URL, or the --state DIR of that service',
    );
  }
  await createRoles(owner, { loader: loaderPassword, api: apiPassword, writer: writerPassword });
  return dsns;
}

module.exports = { useDatabase, withoutPassword };
