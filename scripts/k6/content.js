'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { withClient } = require('../local/roles');
const { changedSince, readReferences } = require('./references');

/** @typedef {import('./verdict').Figures} Figures */
/** @typedef {{ second: number, scenario: string, route: string, count: number }} Differing bodies of correct id and shape that are not the database's */

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

/** What the k6 scripts know about the catalog before they start. @param {string} [dsn] of the database that has the correct replies */
function openContent(dsn) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
  const file = path.join(folder, 'catalog.json');
  /** @type {import('./references').Version | undefined} of the digests in the file */
  let version;
  let firstMs = Infinity;
  /** @returns {Promise<number>} seconds since the epoch until which the digests were right; Infinity: they are */
  async function changedAtS() {
    // Without an answer nothing is forgiven.
    const changedMs = dsn && version ? await withClient(dsn, changedSince(version)).catch(() => Infinity) : Infinity;
    firstMs = Math.min(firstMs, changedMs);
    return changedMs / 1000;
  }
  async function readAgain(/** @type {string} */ place) {
    const read = await withClient(place, readReferences).catch((error) => {
      throw new Error(`cannot read the correct replies from the database: ${error.message}`);
    });
    fs.writeFileSync(file, JSON.stringify(read.references));
    version = read.version;
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
      if (dsn && (!version || (await changedAtS()) !== Infinity)) await readAgain(dsn);
      return fs.existsSync(file) ? { CATALOG: file } : {};
    },
    /** What a k6 has read itself, so that the next one need not. @param {object} catalog */
    keep: (catalog) => dsn || fs.writeFileSync(file, JSON.stringify(catalog)),
    close: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}

module.exports = { forgive, openContent };
