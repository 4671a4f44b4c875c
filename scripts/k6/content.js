'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Client } = require('pg');
const { withClient } = require('../lib/roles');
const { readReferences, versionOf } = require('./references');

/** @typedef {import('./target').Target} Target */

/**
 * What the k6 scripts know of the catalog before they begin.
 * @typedef {object} Content
 * @property {() => { source: 'database' | 'routes', changedAt?: string }} told for the report: what the content of replies was
 *   compared with, and when the data first changed
 * @property {() => Promise<Record<string, string>>} env names the file; new digests where the data has changed
 * @property {(catalog: object) => void} keep what a k6 has read itself, so that the next one need not
 * @property {() => Promise<number>} changedAtS seconds since the epoch at which the data changed that the digests are of;
 *   Infinity: it is what is served
 * @property {() => Promise<void>} close
 */

const connectTimeoutMs = 10_000;
/** Rows whose moments tell a catalog from another of the same ids. */
const sampleRows = 20;

/** @param {string} text of products @returns {string[]} when they were made */
const momentsIn = (text) => [...text.matchAll(/"created_at":"([^"]+)"/g)].map(([, moment]) => moment);

/**
 * Does a URL lead to the catalog of a database? Two catalogs of the same ids were loaded at two moments; a proxy that
 * changes a name still sends the moment.
 * @param {string} dsn @param {string} url
 */
async function leadsTo(dsn, url) {
  try {
    const response = await fetch(`${url}/products?count=${sampleRows}`, {
      signal: AbortSignal.timeout(connectTimeoutMs),
    });
    const served = momentsIn(await response.text());
    const sql = 'SELECT head FROM catalog.product_documents ORDER BY id LIMIT $1';
    const { rows } = await withClient(dsn, (client) => client.query(sql, [sampleRows]));
    return momentsIn(rows.map(({ head }) => head).join()).some((moment) => served.includes(moment));
  } catch {
    return false; // then nothing is compared, and the report says so
  }
}

/**
 * Digests of one version of the data, and a watch for the next version. A replica takes no LISTEN, and a server that
 * restarts ends it: from then on any other version may have been served.
 * @param {string} dsn @param {string} file
 */
async function readVersion(dsn, file) {
  let noticedMs = Infinity;
  let unwatchedMs = Infinity;
  const client = new Client({ connectionString: dsn, connectionTimeoutMillis: connectTimeoutMs });
  const lose = () => void (unwatchedMs = Math.min(unwatchedMs, Date.now()));
  client.on('error', lose);
  client.on('end', lose);
  client.on('notification', () => void (noticedMs = Math.min(noticedMs, Date.now())));
  await client.connect();
  await client.query('LISTEN catalog_version').catch(lose);
  const { version, references } = await readReferences(client).catch((error) => {
    client.end().catch(() => {});
    throw error;
  });
  noticedMs = Infinity; // what was noticed before is in the digests
  fs.writeFileSync(file, JSON.stringify(references));
  return {
    async changedAtMs() {
      if (unwatchedMs === Infinity || noticedMs < unwatchedMs) return noticedMs;
      const now = await withClient(dsn, versionOf).catch(() => undefined);
      return now === version ? Infinity : unwatchedMs;
    },
    close: () => client.end().catch(() => {}),
  };
}

/**
 * @param {Target} target
 * @returns {Promise<Content>}
 */
async function openContent({ url, database, isOwn }) {
  const dsn = database && (isOwn || (await leadsTo(database, url))) ? database : '';
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
  const file = path.join(folder, 'catalog.json');
  /** @type {Awaited<ReturnType<typeof readVersion>>[]} the last one is in the file */
  const versions = [];
  let firstS = Infinity;
  async function changedAtS() {
    const changedS = ((await versions.at(-1)?.changedAtMs()) ?? Infinity) / 1000;
    firstS = Math.min(firstS, changedS);
    return changedS;
  }
  return {
    told: () => ({
      source: dsn ? 'database' : 'routes',
      ...(firstS < Infinity ? { changedAt: new Date(firstS * 1000).toISOString() } : {}),
    }),
    async env() {
      const isOld = (await changedAtS()) !== Infinity;
      if (dsn && (isOld || versions.length === 0)) {
        const version = await readVersion(dsn, file).catch((error) => {
          throw new Error(`cannot read from the database what each reply must be: ${error.message}`);
        });
        versions.push(version);
      }
      return fs.existsSync(file) ? { CATALOG: file } : /** @type {Record<string, string>} */ ({});
    },
    keep: (catalog) => dsn || fs.writeFileSync(file, JSON.stringify(catalog)),
    changedAtS,
    async close() {
      await Promise.all(versions.map((version) => version.close()));
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

module.exports = { openContent };
