'use strict';
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { withClient } = require('../local/roles');

/* The digests of correct replies, from the database, which no proxy, cache or worker can falsify. */

const [productsSql, pagesSql] = ['products.sql', 'pages.sql'].map((name) =>
  fs.readFileSync(path.join(__dirname, name), 'utf8'),
);

/** At most about 100,000 products are known, in windows that are spread evenly and end with the last product. */
const mostWindows = 1000;
const windowRows = 100;
/** The same as in k6/lib/routes.js. */
const pageRows = 5;
/** All pages of a million products. With more products, every second, third … page has a digest. */
const mostPages = 200_000;

/** @typedef {Pick<import('pg').Client, 'query'>} Client */
/** @typedef {{ load: string, write: string }} Version the served load and the last write */

/** @param {Client} client @returns {Promise<Version>} */
const versionOf = async (client) =>
  (await client.query('SELECT version AS load, seq AS write FROM catalog_meta.data_version, catalog_log.head')).rows[0];

/** @param {Version} version @returns {(client: Client) => Promise<boolean>} whether other data are served */
const hasChanged = (version) => async (client) => {
  const now = await versionOf(client);
  return now.load !== version.load || now.write !== version.write;
};

/** @param {number[]} ids ascending @returns {string} as k6/lib/ids.js keeps them: the offset and the first id of each run */
const runsOf = (ids) =>
  ids
    .flatMap((id, n) => (n > 0 && id === ids[n - 1] + 1 ? [] : [n, id]))
    .map((number) => String(number).padStart(10, '0'))
    .join('');

/** 48 bits are exact in a number, which k6 reads from shared memory faster than a text. @param {string} hex */
const numberOf = (hex) => parseInt(hex, 16);

/**
 * Three digests of each known product, and one of each page. Not read in a transaction, which would keep a load from being served. What
 * changes meanwhile makes `version` outdated.
 * @param {Client} client
 */
async function readReferences(client) {
  const readOnly = "SET jit = off; SET default_transaction_read_only = on; SET work_mem = '64MB'";
  await client.query(`SET statement_timeout = 0; ${readOnly}`);
  const version = await versionOf(client);
  const [{ rows }] = (await client.query('SELECT count(*)::int AS rows FROM catalog.product_documents')).rows;
  if (rows === 0) throw new Error('the catalog is empty: load data first (npm run load -- DIR)');
  const windowStep = Math.ceil(rows / windowRows / mostWindows);
  const products = (await client.query(productsSql, [windowRows, windowStep])).rows;
  const pageStep = Math.ceil(rows / pageRows / mostPages);
  const pages = (await client.query(pagesSql, [pageRows, pageStep])).rows;
  const references = {
    rows,
    known: products.length,
    pageStep,
    runs: runsOf(products.map(({ id }) => id)),
    products: products.flatMap(({ digests }) => digests.match(/.{12}/g).map(numberOf)),
    pages: pages.map(({ digest }) => numberOf(digest)),
  };
  return { version, references };
}

/**
 * Gives the scripts of k6 the digests in a file, and answers them whether the data have changed since.
 * @param {string} dsn
 * @returns {Promise<{ env: Record<string, string>, close: () => void }>} variables of the scripts
 */
async function openContent(dsn) {
  const { version, references } = await withClient(dsn, readReferences).catch((error) => {
    throw new Error(`cannot read the correct replies from the database: ${error.message}`);
  });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
  const file = path.join(folder, 'catalog.json');
  fs.writeFileSync(file, JSON.stringify(references));
  /** One query at a time; each begins after it was asked for. @type {Promise<boolean> | undefined} */
  let next;
  let running = Promise.resolve(false);
  function changed() {
    next ??= running.then(() => {
      next = undefined;
      // Without an answer a body that differs is wrong.
      return (running = withClient(dsn, hasChanged(version)).catch(() => false));
    });
    return next;
  }
  const server = http.createServer(async (request, response) => void response.end(String(await changed())));
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    env: { CATALOG: file, CHANGES_URL: `http://127.0.0.1:${port}/` },
    close() {
      server.close().closeAllConnections();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

module.exports = { hasChanged, openContent, readReferences };
