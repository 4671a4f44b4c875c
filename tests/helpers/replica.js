'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { startPostgres } = require('../../scripts/local/postgres');
const { startReplica, streaming } = require('../../scripts/local/replica');

const throwAway = { fsync: 'off', shared_buffers: '32MB', autovacuum: 'off' };

/** @typedef {Awaited<ReturnType<typeof startReplica>>} Replica */

/**
 * A primary and its streaming replicas, all only for this test file.
 * @param {number} count of replicas @param {Record<string, string>} [own] settings
 */
async function startServers(count, own) {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'pair-'));
  const settings = { ...throwAway, ...streaming, ...own };
  const primary = await startPostgres({ dir: path.join(base, 'primary'), settings });
  const replicas = /** @type {Replica[]} */ ([]);
  for (let index = 0; index < count; index += 1)
    replicas.push(await startReplica(primary, path.join(base, `replica-${index}`)));
  const stop = async () => {
    await Promise.all([primary.stop('immediate'), ...replicas.map((each) => each.stop())]);
    fs.rmSync(base, { recursive: true, force: true });
  };
  /** One URL of all, replicas first. @param {string} dsn of the primary */
  const all = (dsn) => together(...replicas.map((each) => each.at(dsn)), dsn);
  return { primary, replicas, stop, all };
}

/** @param {Record<string, string>} [own] settings */
async function startPair(own) {
  const servers = await startServers(1, own);
  return { ...servers, replica: servers.replicas[0] };
}

/** @param {string[]} dsns of one database, over sockets @returns {string} one URL of their servers */
function together(...dsns) {
  const hosts = dsns.map((dsn) => /host=([^&]*)/.exec(dsn)?.[1]);
  return dsns[0].replace(/host=[^&]*/, `host=${hosts.join(',')}`);
}

/** One server by two names, the second a link to the folder of its socket. @param {string} dsn */
function byTwoNames(dsn) {
  const folder = decodeURIComponent(/host=([^&]*)/.exec(dsn)?.[1] ?? '');
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'second-name-'));
  const link = path.join(base, 'run');
  fs.symlinkSync(folder, link);
  const url = together(dsn, dsn.replace(/host=[^&]*/, `host=${encodeURIComponent(link)}`));
  return { url, names: [`${folder}:5432`, `${link}:5432`], forget: () => fs.rmSync(base, { recursive: true }) };
}

module.exports = { byTwoNames, startPair, startServers, together };
