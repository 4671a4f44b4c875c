'use strict';
const fs = require('node:fs');
const path = require('node:path');

const [productsSql, pagesSql] = ['products.sql', 'pages.sql'].map((name) =>
  fs.readFileSync(path.join(__dirname, name), 'utf8'),
);

/** The same as in k6/lib/ids.js, which reads without a database: at most 100,000 products, evenly from the first to the last. */
const windows = 1000;
const windowRows = 100;

/** The same as in k6/lib/routes.js. */
const pageRows = 5;
/** All pages of a million products. With more products, every second, third … page has a digest. */
const mostPages = 200_000;

/** A load may end while they are read; after so many attempts something else is wrong. */
const attempts = 5;

/** @typedef {{ rows: number, known: number, runs: string, pageStep: number, products: number[], pages: number[] }} References three digests for each product */
/** @typedef {Pick<import('pg').Client, 'query'>} Client */

/** @typedef {{ load: string, write: string }} Version the served load and the last write */

/** @param {Client} client @returns {Promise<Version>} */
const versionOf = async (client) =>
  (await client.query('SELECT version AS load, seq AS write FROM catalog_meta.data_version, catalog_log.head')).rows[0];

/** The age of the first change, because the database may have another clock. */
const changedSql = `SELECT 1000 * extract(epoch FROM clock_timestamp() - least(
  (SELECT changed_at FROM catalog_meta.data_version WHERE version <> $1),
  (SELECT min(at) FROM catalog_log.commits WHERE seq > $2)))::float AS ms`;

/**
 * @param {Version} version
 * @returns {(client: Client) => Promise<number>} when the served data changed after it, as Date.now counts; Infinity: it did not
 */
const changedSince = (version) => async (client) => {
  const askedMs = Date.now(); // of a late answer, the time would be after the first bodies that differ
  const [{ ms }] = (await client.query(changedSql, [version.load, version.write])).rows;
  return ms === null ? Infinity : askedMs - ms;
};

/** @param {number} rows @returns {number[]} windows, 0 is the first */
function windowsOf(rows) {
  const all = Math.ceil(rows / windowRows);
  const wanted = Math.min(windows, all);
  return Array.from({ length: wanted }, (_, n) => Math.round((n * (all - 1)) / Math.max(1, wanted - 1)));
}

/** @param {number[]} ids ascending @returns {string} as k6/lib/ids.js keeps them: the offset and the first id of each run */
const runsOf = (ids) =>
  ids
    .flatMap((id, n) => (n > 0 && id === ids[n - 1] + 1 ? [] : [n, id]))
    .map((number) => String(number).padStart(10, '0'))
    .join('');

/** 48 bits are exact in a number, which k6 reads from shared memory faster than a text. @param {string} hex */
const numberOf = (hex) => parseInt(hex, 16);

/** @param {Client} client @returns {Promise<References>} */
async function readOnce(client) {
  const [{ rows }] = (await client.query('SELECT count(*)::int AS rows FROM catalog.product_documents')).rows;
  if (rows === 0) throw new Error('the catalog is empty: load data first (npm run load -- DIR)');
  const products = (await client.query(productsSql, [windowsOf(rows), windowRows])).rows;
  const pageStep = Math.ceil(rows / pageRows / mostPages);
  const pages = (await client.query(pagesSql, [pageRows, pageStep])).rows;
  return {
    ...{ rows, known: products.length, pageStep, runs: runsOf(products.map(({ id }) => id)) },
    products: products.flatMap(({ digests }) => digests.match(/.{12}/g).map(numberOf)),
    pages: pages.map(({ digest }) => numberOf(digest)),
  };
}

/**
 * Reads the digest of each correct reply from the database, which no proxy, cache or worker can falsify. Not in a
 * transaction: that would keep a load from being served.
 * @param {Client} client
 * @returns {Promise<{ version: Version, references: References }>} of one load; what is written meanwhile makes `version` outdated
 */
async function readReferences(client) {
  const readOnly = "SET jit = off; SET default_transaction_read_only = on; SET work_mem = '64MB'";
  await client.query(`SET statement_timeout = 0; ${readOnly}`);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const version = await versionOf(client);
    const references = await readOnce(client);
    if ((await versionOf(client)).load === version.load) return { version, references };
  }
  throw new Error(`the catalog changed ${attempts} times while its digests were read: try again later`);
}

module.exports = { changedSince, readReferences };
