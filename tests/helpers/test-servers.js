'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { stopStartedWith } = require('../../scripts/local/leftovers');
const { startPostgres } = require('../../scripts/local/postgres');
const { secretsOf, describeState } = require('../../scripts/local/state');
const { startValkey } = require('../../scripts/local/valkey');

/** A crash may lose these servers, so nothing waits for the disk. */
const throwAway = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** @param {string} dir */
async function startServers(dir) {
  const postgres = await startPostgres({ dir, settings: { ...throwAway, shared_buffers: '64MB' } });
  const valkey = await startValkey({ dir, maxMemoryMb: 64 }).catch(async (error) => {
    await postgres.stop('immediate');
    throw error;
  });
  return { postgres, valkey };
}

/**
 * PostgreSQL and Valkey for tests, in a folder that is removed with them.
 * @returns {Promise<{ dir: string, env: Record<string, string>, stop: () => Promise<number> }>} `env`: what tests find in their
 *   environment; `stop` says how many processes the tests had left behind
 */
async function startTestServers() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-test-'));
  fs.chmodSync(dir, 0o711); // nginx's workers, "nobody" when we are root, must pass through it
  const state = path.join(dir, 'state');
  const remove = () => fs.rmSync(dir, { recursive: true, force: true });
  const { postgres, valkey } = await startServers(state).catch((error) => {
    remove();
    throw error;
  });
  const secrets = secretsOf(describeState(state), []);
  return {
    dir,
    env: {
      TEST_DATABASE_URL: postgres.superuserDsn('postgres'),
      TEST_API_PASSWORD: secrets.apiPassword,
      TEST_WRITER_PASSWORD: secrets.writerPassword,
      TEST_LOADER_PASSWORD: secrets.loaderPassword,
      TEST_REDIS_URL: valkey.url,
      TEST_NODE: process.execPath,
      TMPDIR: dir,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stop: async () => {
      await valkey.stop();
      await postgres.stop('immediate');
      // Servers that tests began have sessions of their own; tools that a signal ended did not stop them.
      const left = await stopStartedWith('TMPDIR', dir);
      remove();
      return left;
    },
  };
}

module.exports = { startTestServers };
