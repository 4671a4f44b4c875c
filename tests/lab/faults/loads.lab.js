'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { withClient } = require('../../../../scripts/local/roles');
const { allAnswered, atMost, atLeast, exactly } = require('../checks');
const { scaled, underLoad, wait } = require('../scenario');
const { query } = require('./postgres');

/** No body of the old data later than this after a commit. */
const staleMs = 2000;
const checksumSql = fs.readFileSync(path.join(__dirname, 'checksum.sql'), 'utf8');

/**
 * A load that is killed with everything it started.
 * @param {import('../../testbed/rig').Rig} rig @param {number} afterMs @returns {Promise<boolean>} whether it still ran
 */
async function killedLoad(rig, afterMs) {
  let pid = 0;
  const ended = rig.servers.load((started) => (pid = started));
  const running = await Promise.race([sleep(afterMs, true), ended.then(() => false)]);
  if (running) process.kill(-pid, 'SIGKILL');
  await ended;
  return running;
}

/** @type {import('../run').Runs} */
const runs = {
  async E1(rig) {
    const checksum = async () => (await query(rig, checksumSql))[0].sum;
    const kills = scaled(rig, 18, 2);
    const sinceMs = performance.now();
    let failed = (await rig.servers.load()).status;
    const tookMs = performance.now() - sinceMs;
    const wanted = await checksum();
    let [killed, different] = [0, 0];
    for (let index = 1; index <= kills; index += 1) {
      if (await killedLoad(rig, (tookMs * index) / (kills + 1))) killed += 1;
      if ((await checksum()) !== wanted) different += 1; // the rows served until the next load
      failed += (await rig.servers.load()).status;
      if ((await checksum()) !== wanted) different += 1;
    }
    await rig.refreshDigests();
    return [
      atLeast(`of ${kills} loads killed while they ran`, killed, Math.ceil(kills / 2)),
      exactly('of the loads after them that failed', failed),
      exactly('times the served rows differed from those of an undisturbed load', different),
    ];
  },

  async E7(rig) {
    const rounds = rig.scale < 1 ? 1 : 5;
    /** @type {number[]} */
    const statuses = [];
    /** @type {import('../checks').Check[]} */
    let fresh = [];
    const { all } = await underLoad(rig, {
      inject: async () => {
        for (let round = 0; round < rounds; round += 1)
          // A long reader of served tables, like a backup; it ends before the next load needs its schema.
          await withClient(rig.servers.postgres.superuserDsn('catalog'), async (reader) => {
            await reader.query('BEGIN; SELECT count(*) FROM catalog.page_blocks');
            const loading = rig.servers.load();
            await wait(rig, 2);
            await reader.query('COMMIT');
            statuses.push((await loading).status);
          });
        const committedMs = performance.now();
        await rig.refreshDigests();
        await sleep(Math.max(0, committedMs + staleMs - performance.now()));
        const compared = await rig.startLoad();
        await wait(rig, 3);
        const { asked, wrongBodies } = (await compared.stop()).all();
        fresh = [exactly(`of ${asked} bodies older than the last load, from 2 s after it`, wrongBodies)];
      },
      seconds: 0,
      order: { digests: {} }, // the bodies carry the time of their load
    });
    return [
      ...allAnswered(all),
      exactly(`of ${rounds} loads that failed`, statuses.filter(Boolean).length),
      atMost('slowest request', all.maxMs, 1000, ' ms'),
      ...fresh,
    ];
  },
};

module.exports = { runs };
