'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { Client } = require('pg');
const { serversOf } = require('../../server/core/dsn');
const { Primary } = require('../../server/store/primary');
const { root } = require('../lib/runtime');

/** @typedef {'loader' | 'api' | 'writer'} RoleName */

const connectTimeoutMs = 10_000;
const loginRoles = { loader: 'catalog_loader', api: 'catalog_api', writer: 'catalog_writer' };

/** On the server that takes writes. @template T @param {string} dsn @param {(client: Client) => Promise<T>} work @returns {Promise<T>} */
async function withClient(dsn, work) {
  const makeClient = (/** @type {string} */ url) =>
    new Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: 'catalog-start',
    });
  const client = makeClient(await new Primary(serversOf(dsn), makeClient).find());
  client.on('error', () => {}); // a server that goes away also rejects the query in flight
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Makes the roles of db/roles.sql in a database and gives those that log in their passwords.
 * @param {string} adminDsn of a role that may create roles @param {Record<RoleName, string>} passwords hexadecimal
 */
async function createRoles(adminDsn, passwords) {
  const sql = fs.readFileSync(path.join(root, 'db/roles.sql'), 'utf8');
  await withClient(adminDsn, async (client) => {
    await client.query(sql);
    for (const [name, role] of Object.entries(loginRoles)) {
      const password = client.escapeLiteral(passwords[/** @type {RoleName} */ (name)]);
      await client.query(`ALTER ROLE ${role} LOGIN PASSWORD ${password}`);
    }
  });
}

/** Makes it unless it is there. @param {string} adminDsn @param {string} database */
async function createDatabase(adminDsn, database) {
  await withClient(adminDsn, async (client) => {
    const known = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (known.rowCount) return;
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  });
}

module.exports = { loginRoles, withClient, createRoles, createDatabase };
