'use strict';
const crypto = require('node:crypto');
const net = require('node:net');
const os = require('node:os');
const { createDatabase, createRoles, loginRoles, withClient } = require('../../scripts/local/roles');

const addresses = Object.values(os.networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
/** A container may have no IPv6. */
const loopbacks = ['127.0.0.1', '::1'].filter((address) => addresses.includes(address));

/**
 * @param {string} name
 * @returns {string} what start-servers.js or npm test exported
 */
function exported(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: Jest's globalSetup sets it (jest.config.js)`);
  return value;
}

const redisUrl = () => exported('TEST_REDIS_URL');

/**
 * @param {string} dsn
 * @param {{ user?: string, password?: string, database?: string }} changes
 * @returns {string} the DSN with these parts replaced; not by `new URL`, which refuses credentials without a host
 */
function changeDsn(dsn, { user, password, database }) {
  const parts = /^(postgres(?:ql)?:\/\/)([^:@/]*):([^@]*)@([^/]*)\/([^?]*)(.*)$/.exec(dsn);
  if (!parts) throw new Error('TEST_DATABASE_URL is not postgres://user:password@host/database');
  const [, scheme, oldUser, oldPassword, host, oldDatabase, rest] = parts;
  const credentials = `${user ?? oldUser}:${password ?? oldPassword}`;
  return `${scheme}${credentials}@${host}/${database ?? oldDatabase}${rest}`;
}

/** @param {string} dsn of `npm test` @returns {string} the folder of the server's Unix socket */
const socketDirOf = (dsn) => decodeURIComponent(/[?&]host=([^&]+)/.exec(dsn)?.[1] ?? '');

/** @param {string} dsn of `npm test` @param {number} port @returns {string} the same database through a port of this machine */
const overTcp = (dsn, port) => dsn.replace(/@[^/]*(\/[^?]*).*$/, `@127.0.0.1:${port}$1`);

/**
 * @typedef {object} TestDatabase
 * @property {string} name
 * @property {string} superuserDsn
 * @property {(role: 'loader' | 'api' | 'writer') => string} dsn
 * @property {() => Promise<void>} drop ends its connections too
 */

/**
 * An empty database for one test file, with the roles of db/roles.sql.
 * @returns {Promise<TestDatabase>}
 */
async function createTestDatabase() {
  const admin = exported('TEST_DATABASE_URL');
  const passwords = {
    loader: exported('TEST_LOADER_PASSWORD'),
    api: exported('TEST_API_PASSWORD'),
    writer: exported('TEST_WRITER_PASSWORD'),
  };
  const name = `test_${crypto.randomBytes(6).toString('hex')}`;
  await createDatabase(admin, name);
  const superuserDsn = changeDsn(admin, { database: name });
  await inTurn(admin, () => createRoles(superuserDsn, passwords));
  return {
    name,
    superuserDsn,
    dsn: (role) => changeDsn(superuserDsn, { user: loginRoles[role], password: passwords[role] }),
    drop: () =>
      withClient(admin, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

/**
 * Roles belong to the whole server: two test files that change them at once would fail with "tuple concurrently updated".
 * @param {string} admin @param {() => Promise<void>} work
 */
async function inTurn(admin, work) {
  await withClient(admin, async (client) => {
    await client.query("SELECT pg_advisory_lock(hashtext('test roles'))");
    await work();
  });
}

/**
 * @param {number} [count]
 * @returns {Promise<number>} the first of `count` neighbouring TCP ports that are free on 127.0.0.1
 */
async function freePort(count = 1) {
  for (;;) {
    // Below the ephemeral range (32768 on Linux), or a client socket could take it before the server does.
    const first = 10000 + crypto.randomInt(22000 - count);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

module.exports = { createTestDatabase, loopbacks, redisUrl, freePort, socketDirOf, overTcp };
