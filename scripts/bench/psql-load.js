'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { root, binaries } = require('../lib/runtime');
const { interrupted } = require('./running');

const run = promisify(execFile);
const schema = 'bench_psql';

const tablesSql = fs
  .readFileSync(path.join(root, 'db/schema/001_tables.sql'), 'utf8')
  .replaceAll('{schema}', schema)
  .replaceAll('{loaded_at}', 'now()');

/** File, table with the columns of the file in their order, parent. */
const copies = [
  ['product.csv', 'products (id, name, slogan, description, category, default_price)', ''],
  ['styles.csv', 'styles (id, product_id, name, sale_price, original_price, is_default)', 'product_id'],
  ['photos.csv', 'photos (id, style_id, url, thumbnail_url)', 'style_id'],
  ['skus.csv', 'skus (id, style_id, size, quantity)', 'style_id'],
  ['features.csv', 'features (id, product_id, feature, value)', 'product_id'],
  ['related.csv', 'related (id, product_id, related_product_id)', 'product_id'],
];
const tables = copies.map(([, target, parent]) => ({ table: `${schema}.${target.split(' ')[0]}`, parent }));
const indexes = tables.flatMap(({ table, parent }) => [
  `ALTER TABLE ${table} ADD PRIMARY KEY (id)`,
  ...(parent ? [`CREATE INDEX ON ${table} (${parent})`] : []),
]);
const analyze = `ANALYZE ${tables.map(({ table }) => table).join(', ')}`;

/**
 * The load that you would type: `psql \copy` of the six files one after another, then six primary keys, five
 * indexes by parent and ANALYZE. It cleans nothing, checks nothing and builds no documents.
 * @param {string} dsn
 * @param {string} data folder of clean CSV files
 * @returns {Promise<number>} seconds
 */
async function measurePsql(dsn, data) {
  /** @param {string[]} commands */
  const psql = (...commands) => {
    const words = [dsn, '--quiet', '--no-psqlrc', '--set', 'ON_ERROR_STOP=1'];
    for (const command of commands) words.push('--command', command);
    return run(path.join(binaries().postgresBin, 'psql'), words, { signal: interrupted });
  };
  const withoutPosition = ['photos', 'features', 'related'].map(
    (table) => `ALTER TABLE ${schema}.${table} DROP COLUMN position`,
  );
  await psql(`CREATE SCHEMA ${schema}`, tablesSql, ...withoutPosition);
  const copy = (/** @type {string[]} */ [file, target]) =>
    `\\copy ${schema}.${target} FROM '${path.join(data, file).replaceAll("'", "''")}' (FORMAT csv, HEADER, NULL 'null')`;
  const startedMs = performance.now();
  await psql(...copies.map(copy), `${indexes.join('; ')}; ${analyze}`);
  return (performance.now() - startedMs) / 1000;
}

module.exports = { measurePsql };
