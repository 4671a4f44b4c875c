'use strict';

const { readFileSync, readdirSync } = require('node:fs');
const { join, resolve } = require('node:path');

const { Client } = require('pg');

const { createTestDatabase } = require('./servers');

const DB = resolve(__dirname, '../../db');
const CAMPUS = 'hr-lax';
const LOADED_AT = '2021-08-13T14:37:33.145Z';

/** @param {string} path under db/ @param {string} schema */
const sql = (path, schema) => readFileSync(join(DB, path), 'utf8').replaceAll('{schema}', schema);

/**
 * A file of db/documents with the others of that folder that it names.
 * @param {'fill' | 'rebuild'} name @param {string} schema
 */
const documentSql = (name, schema) =>
  sql(`documents/${name}.sql`, schema)
    .replace('{before}', '{nothing}') // an earlier load, of which there is none
    .replace('{is_compared}', 'false')
    .replace(/\{(\w+)\}/g, (_, part) => sql(`documents/${part}.sql`, schema))
    .replaceAll('{wanted}', name === 'fill' ? 'BETWEEN $1 AND $2' : '= ANY ($1::int[])');

/**
 * Small products with every edge of the contract: 1 has everything, 2 a style without photos and skus,
 * 4 nothing at all, 5 repeats. 3 and 6 are gaps. Rows are in id order only where the contract requires it, and every
 * text that a client sees has a quote and a backslash somewhere.
 */
const EDGES = `
  INSERT INTO {schema}.products (id, name, slogan, description, category, default_price) VALUES
    (1, 'Camo "\\" Onesie', 'Blend in to your "\\crowd"', 'So\\"Fatigues" – ü', 'Jackets "\\"', 140),
    (2, 'Bright Future', 'Sun''s up', '', 'Accessories', 69.5),
    (4, 'Not yet bare', '-', '-', 'None', 0),
    (5, 'Repeats', '-', '-', 'Shoes', 65.125),
    (7, 'Last', '-', '-', 'Shoes', 1);
  INSERT INTO {schema}.features (id, product_id, position, feature, value) VALUES
    (3, 1, 2, 'Fabric', 'Canvas'), (1, 1, 3, 'Buttons "\\"', 'Brass "\\"'), (2, 1, 4, 'Fabric', 'Canvas'),
    (4, 5, 5, 'Non-GMO', NULL);
  INSERT INTO {schema}.styles (id, product_id, name, sale_price, original_price, is_default) VALUES
    (2, 1, 'Desert "\\" Brown', 99.995, 140, false), (1, 1, 'Forest Green', NULL, 140, true),
    (7, 2, 'Gold', NULL, 19.999, false);
  INSERT INTO {schema}.photos (id, style_id, position, url, thumbnail_url) VALUES
    (7, 1, 3, 'https://x/7.jpg', 'https://x/7s.jpg'), (8, 1, 2, 'uhttps://x/8"\\.jpg', 'https://x/8s"\\.jpg'),
    (9, 2, 4, 'https://x/9.jpg', 'https://x/9s.jpg');
  INSERT INTO {schema}.skus (id, style_id, size, quantity) VALUES
    (39, 1, '7.5', 17), (38, 1, '7.5', 0), (37, 1, '7"\\', 8), (40, 2, 'One Size', 1);
  INSERT INTO {schema}.related (id, product_id, position, related_product_id) VALUES
    (1, 1, 2, 7), (2, 1, 3, 2), (5, 5, 4, 5), (3, 5, 5, 2), (4, 5, 6, 2);`;

/** A write that makes the times of product 4 differ. @param {Client} client */
async function changeEdges(client) {
  await client.query("UPDATE catalog.products SET name = 'Bare' WHERE id = 4");
  await client.query(documentSql('rebuild', 'catalog'), [[4], CAMPUS, 1, '2022-02-03T04:05:06.007Z']);
}

/** Many products with gaps between their ids. @param {number} count */
const manyProducts = (count) => `
  INSERT INTO {schema}.products (id, name, slogan, description, category, default_price)
  SELECT i * 3 - i % 3, 'Product ' || i, 'slogan', repeat('long text ', 30), 'Shoes', i
  FROM generate_series(1, ${count}) AS i;`;

/** The id of one of `manyProducts`. @param {number} index from 1 */
const idOf = (index) => index * 3 - (index % 3);

/**
 * Fills a schema as a load does: rows, documents, cards, blocks, keys.
 * @param {Client} client @param {string} schema @param {string} rows INSERTs with {schema} @param {number} loadId
 */
async function fillSchema(client, schema, rows, loadId) {
  const [tables, documents, ...after] = readdirSync(join(DB, 'schema')).sort();
  await client.query(`SET ROLE catalog_owner; CREATE SCHEMA ${schema}`);
  await client.query(sql(`schema/${tables}`, schema) + sql(`schema/${documents}`, schema));
  await client.query(rows.replaceAll('{schema}', schema));
  await client.query(sql('indexes.sql', schema));
  // Two ranges, not in order: a load also writes them like this, because each of its connections takes a range.
  for (const range of [
    [5, 2147483647],
    [1, 4],
  ]) {
    await client.query(documentSql('fill', schema), [...range, CAMPUS, loadId, LOADED_AT]);
  }
  await client.query(
    `INSERT INTO ${schema}.page_blocks (first_id, rows, load_id) ${sql('documents/page_blocks.sql', schema)}`,
    [loadId],
  );
  const served = sql('documents/styles.sql', 'catalog').replaceAll('{wanted}', '= $1');
  const sku = sql('documents/sku.sql', schema);
  for (const file of after)
    await client.query(
      sql(`schema/${file}`, schema)
        .replace('{styles}', () => served)
        .replace('{sku}', () => sku),
    );
  await client.query('RESET ROLE');
}

/** As `prepare` does. @param {Client} client */
async function migrate(client) {
  await client.query(`SET ROLE catalog_owner; ${readFileSync(join(DB, 'migrated.sql'), 'utf8')}`);
  for (const name of readdirSync(join(DB, 'migrations')).sort()) {
    await client.query(readFileSync(join(DB, 'migrations', name), 'utf8'));
    await client.query('INSERT INTO catalog_meta.migrations (name) VALUES ($1)', [name]);
  }
  await client.query('GRANT SELECT ON catalog_meta.migrations TO catalog_writer; RESET ROLE');
}

/**
 * A database with a loaded catalog.
 * @param {string} [rows]
 * @param {import('../../scripts/local/postgres').Postgres} [server] one of the test's own
 */
async function createCatalog(rows = EDGES, server) {
  const database = server ? onlyDatabase(server) : await createTestDatabase();
  const client = new Client({ connectionString: database.superuserDsn });
  client.on('error', () => {});
  await client.connect();
  try {
    await migrate(client);
    await fillSchema(client, 'catalog', rows, 1);
    if (rows === EDGES) await changeEdges(client);
    await client.query('SELECT catalog_meta.bump_version(1)');
  } catch (error) {
    await client.end(); // an open connection would keep Jest from ending
    throw error;
  }
  return {
    client,
    dsn: database.dsn('api'),
    writerDsn: database.dsn('writer'),
    loaderDsn: database.dsn('loader'),
    superuserDsn: database.superuserDsn,
    /** Loads other rows and swaps them in, as the loader does. @param {string} otherRows @param {number} loadId */
    async swap(otherRows, loadId) {
      await fillSchema(client, 'catalog_staging', otherRows, loadId);
      await client.query(`BEGIN; DROP SCHEMA IF EXISTS catalog_previous CASCADE;
        ALTER SCHEMA catalog RENAME TO catalog_previous; ALTER SCHEMA catalog_staging RENAME TO catalog;
        SELECT catalog_meta.bump_version(${loadId}); SELECT catalog_log.append('load', ${loadId}, is_whole => true); COMMIT`);
    },
    async drop() {
      await client.end();
      await database.drop();
    },
  };
}

/** @param {import('../../scripts/local/postgres').Postgres} server */
const onlyDatabase = (server) => ({
  superuserDsn: server.superuserDsn('catalog'),
  dsn: server.dsn,
  drop: async () => {},
});

/** @typedef {Awaited<ReturnType<typeof createCatalog>>} TestCatalog */

module.exports = { CAMPUS, EDGES, createCatalog, documentSql, fillSchema, idOf, manyProducts, sql };
