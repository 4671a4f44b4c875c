'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { withClient } = require('../../../scripts/local/roles');
const { query, rig, scaled, wait } = require('./chain');
const { answered, atLeast, inTime, judge } = require('./limits');
const { underLoad } = require('./traffic');

const checksumSql = fs.readFileSync(path.join(__dirname, 'checksum.sql'), 'utf8');
const checksum = async () => (await query(checksumSql))[0].sum;

/** A load that is killed with everything it started. @param {number} afterMs @returns {Promise<boolean>} whether it still ran */
async function killedLoad(afterMs) {
  let pid = 0;
  const ended = rig.servers.load((started) => (pid = started));
  const running = await Promise.race([sleep(afterMs, true), ended.then(() => false)]);
  if (running) process.kill(-pid, 'SIGKILL');
  await ended;
  return running;
}

test('E1 loads that are killed at 18 moments bring the same rows at the next try', async () => {
  const kills = scaled(18, 2);
  const sinceMs = performance.now();
  const statuses = [(await rig.servers.load()).status];
  const tookMs = performance.now() - sinceMs;
  const sums = [await checksum()];
  let killed = 0;
  for (let index = 1; index <= kills; index += 1) {
    if (await killedLoad((tookMs * index) / (kills + 1))) killed += 1;
    sums.push(await checksum()); // of the rows served until the next load
    statuses.push((await rig.servers.load()).status);
    sums.push(await checksum());
  }
  await rig.refreshDigests();
  judge({
    killed: [killed, atLeast(Math.ceil(kills / 2))],
    statuses: [new Set(statuses), new Set([0])],
    sums: [new Set(sums).size, 1],
  });
});

/** No body of the old data later than this after a commit. */
const staleMs = 2000;
const slowestMs = 1000;

/** Like a backup, it ends before the next load needs its schema. */
const besideLongReader = () =>
  withClient(rig.servers.postgres.superuserDsn('catalog'), async (reader) => {
    await reader.query('BEGIN; SELECT count(*) FROM catalog.page_blocks');
    const loading = rig.servers.load();
    await wait(2);
    await reader.query('COMMIT');
    return (await loading).status;
  });

test('E7 five loads beside a long reader fail no request, and 2 s later no body is old', async () => {
  const rounds = rig.short ? 1 : 5;
  /** @type {number[]} */
  const statuses = [];
  const { all } = await underLoad({
    inject: async () => {
      for (let round = 0; round < rounds; round += 1) statuses.push(await besideLongReader());
      const committedMs = performance.now();
      await rig.refreshDigests();
      await sleep(Math.max(0, committedMs + staleMs - performance.now()));
      const compared = await rig.startLoad();
      await wait(3);
      judge(answered((await compared.stop()).all()));
    },
    seconds: 0,
    order: { digests: {} }, // the bodies carry the time of their load
  });
  const statusesWanted = Array(rounds).fill(0);
  judge({ ...answered(all), slowestMs: [all.maxMs, inTime(slowestMs)], statuses: [statuses, statusesWanted] });
});
