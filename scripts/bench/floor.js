'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { root, binaries } = require('../lib/runtime');
const { interrupted } = require('./running');

const run = promisify(execFile);
const schema = 'bench_floor';

/** What stands in the files, in their order; the floor keeps no line number. */
const copies = [
  ['product.csv', 'products (id, name, slogan, description, category, default_price)'],
  ['styles.csv', 'styles (id, product_id, name, sale_price, original_price, is_default)'],
  ['photos.csv', 'photos (id, style_id, url, thumbnail_url)'],
  ['skus.csv', 'skus (id, style_id, size, quantity)'],
  ['features.csv', 'features (id, product_id, feature, value)'],
  ['related.csv', 'related (id, product_id, related_product_id)'],
];

/** @param {string} file */
const sqlOf = (file) => fs.readFileSync(file, 'utf8').replaceAll('{schema}', schema).replaceAll('{loaded_at}', 'now()');

/**
 * The load that a careful person would type: `psql \copy` of the six files one after another, then floor.sql and
 * ANALYZE. No cleaning, no check, no documents.
 * @param {string} dsn
 * @param {string} data folder of clean CSV files
 * @returns {Promise<{ copySeconds: number, indexSeconds: number }>}
 */
async function measureFloor(dsn, data) {
  /** @param {string[]} commands */
  const psql = (...commands) =>
    run(
      path.join(binaries().postgresBin, 'psql'),
      [
        ...[dsn, '--quiet', '--no-psqlrc', '--set', 'ON_ERROR_STOP=1'],
        ...commands.flatMap((command) => ['--command', command]),
      ],
      { signal: interrupted },
    );
  const positions = ['photos', 'features', 'related'].map(
    (table) => `ALTER TABLE ${schema}.${table} DROP COLUMN position`,
  );
  await psql(`CREATE SCHEMA ${schema}`, sqlOf(path.join(root, 'db/schema/001_tables.sql')), ...positions);
  const startedMs = performance.now();
  for (const [file, target] of copies) {
    const source = path.join(data, file).replaceAll("'", "''");
    await psql(`\\copy ${schema}.${target} FROM '${source}' (FORMAT csv, HEADER, NULL 'null')`);
  }
  const copiedMs = performance.now();
  const tables = copies.map(([, target]) => `${schema}.${target.split(' ')[0]}`);
  await psql(sqlOf(path.join(__dirname, 'floor.sql')), `ANALYZE ${tables.join(', ')}`);
  const indexedMs = performance.now();
  return {
    copySeconds: (copiedMs - startedMs) / 1000,
    indexSeconds: (indexedMs - copiedMs) / 1000,
  };
}

module.exports = { measureFloor };
