'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Pool } = require('pg');
const { withClient } = require('../local/roles');
const { readReferences, versionOf } = require('./references');

/** @typedef {import('./verdict').Figures} Figures */
/** @typedef {{ second: number, scenario: string, route: string, count: number }} Differing bodies of correct id and shape that are not the database's */

const connectTimeoutMs = 10_000;
const pollMs = 1000;
/** The times of so many rows distinguish a catalog from another one with the same ids. */
const sampleRows = 20;

/** @param {string} text of products @returns {string[]} when they were created */
const timesIn = (text) => [...text.matchAll(/"created_at":"([^"]+)"/g)].map(([, time]) => time);

/**
 * Does a URL lead to the catalog of a database? Two catalogs with the same ids were loaded at two times; a proxy that
 * changes a name still sends the time.
 * @param {string} dsn @param {string} url
 */
async function leadsTo(dsn, url) {
  try {
    const signal = AbortSignal.timeout(connectTimeoutMs);
    const served = timesIn(await (await fetch(`${url}/products?count=${sampleRows}`, { signal })).text());
    const sql = 'SELECT head FROM catalog.product_documents ORDER BY id LIMIT $1';
    const { rows } = await withClient(dsn, (client) => client.query(sql, [sampleRows]));
    return timesIn(rows.map(({ head }) => head).join()).some((time) => served.includes(time));
  } catch {
    return false; // nothing is compared, and the report says so
  }
}

/** Watches the data version that the digests belong to. @param {string} dsn @param {string} version */
function watchVersion(dsn, version) {
  const pool = new Pool({ connectionString: dsn, max: 1, connectionTimeoutMillis: connectTimeoutMs });
  pool.on('error', () => {});
  let knownMs = Date.now();
  let changedMs = Infinity;
  async function look() {
    const atMs = Date.now();
    const now = await versionOf(pool).catch(() => undefined);
    if (now === version) knownMs = atMs;
    else if (now !== undefined) changedMs = Math.min(changedMs, knownMs);
    return changedMs;
  }
  const timer = setInterval(look, pollMs);
  const close = () => (clearInterval(timer), pool.end());
  return { look, close };
}

/**
 * After a load or a write is served, correct bodies differ from the digests: from that second on, a body that differs does not count as wrong.
 * @param {Figures[]} rows of one k6 @param {Differing[]} differing @param {number} changedAtS
 * @returns {Figures[]}
 */
function forgive(rows, differing, changedAtS) {
  const since = differing.filter(({ second }) => second >= Math.floor(changedAtS));
  return rows.map((row) => {
    const own = since.filter(({ scenario, route }) => scenario === row.scenario && ['mix', route].includes(row.route));
    const outdated = own.reduce((sum, { count }) => sum + count, 0);
    if (outdated === 0) return row;
    const errors = row.errors - outdated;
    const missed = errors === 0 ? row.missed.filter((text) => !text.startsWith('errors ')) : row.missed;
    const rps = row.rps === undefined || !row.seconds ? row.rps : row.rps + outdated / row.seconds;
    return { ...row, errors, rps, missed, outdated, compared: (row.compared ?? 0) - outdated };
  });
}

/** What the k6 scripts know about the catalog before they start. @param {import('./options').Target} target */
async function openContent({ url, database, isOwn }) {
  const dsn = database && (isOwn || (await leadsTo(database, url))) ? database : '';
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
  const file = path.join(folder, 'catalog.json');
  /** @type {ReturnType<typeof watchVersion> | undefined} of the digests in the file */
  let watched;
  let firstMs = Infinity;
  /** @returns {Promise<number>} seconds since the epoch until which the digests were right; Infinity: they are */
  async function changedAtS() {
    const changedMs = (await watched?.look()) ?? Infinity;
    firstMs = Math.min(firstMs, changedMs);
    return changedMs / 1000;
  }
  async function readAgain() {
    const { version, references } = await withClient(dsn, readReferences).catch((error) => {
      throw new Error(`cannot read the correct replies from the database: ${error.message}`);
    });
    fs.writeFileSync(file, JSON.stringify(references));
    const before = watched;
    watched = watchVersion(dsn, version);
    await before?.close();
  }
  return {
    changedAtS,
    /** @returns {{ source: 'database' | 'routes', changedAt?: string }} what bodies were compared with, and when the data first changed */
    compared: () => ({
      source: dsn ? 'database' : 'routes',
      changedAt: firstMs < Infinity ? new Date(firstMs).toISOString() : undefined,
    }),
    /** Names the file; with new digests if the data has changed. @returns {Promise<Record<string, string>>} */
    async env() {
      if (dsn && (!watched || (await changedAtS()) !== Infinity)) await readAgain();
      return fs.existsSync(file) ? { CATALOG: file } : {};
    },
    /** What a k6 has read itself, so that the next one need not. @param {object} catalog */
    keep: (catalog) => dsn || fs.writeFileSync(file, JSON.stringify(catalog)),
    async close() {
      await watched?.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

module.exports = { forgive, openContent };
