'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { startPostgres } = require('../../scripts/local/postgres');
const { startReplica, streaming } = require('../../scripts/local/replica');

const throwAway = { fsync: 'off', shared_buffers: '32MB', autovacuum: 'off' };

/** @typedef {Awaited<ReturnType<typeof startReplica>>} Replica */

/**
 * A primary and its streaming replica, both only for this test file.
 * @param {Record<string, string>} [own] settings
 * @returns {Promise<{ primary: import('../../scripts/local/postgres').Postgres, replica: Replica, stop: () => Promise<void> }>}
 */
async function startPair(own) {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'pair-'));
  const settings = { ...throwAway, ...streaming, ...own };
  const primary = await startPostgres({ dir: path.join(base, 'primary'), settings });
  const replica = await startReplica(primary, path.join(base, 'replica'));
  const stop = async () => {
    await Promise.all([primary.stop('immediate'), replica.stop()]);
    fs.rmSync(base, { recursive: true, force: true });
  };
  return { primary, replica, stop };
}

module.exports = { startPair };
