'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { Client } = require('pg');

const { loadCatalog } = require('../../lib/commands');
const { environment } = require('../../lib/environment');
const { runTool } = require('../../lib/run');
const { root } = require('../../lib/runtime');
const { allAnswered, atMost, atLeast, exactly } = require('../checks');
const { scaled, underLoad, wait, withoutExit } = require('../scenario');
const { query } = require('./postgres');

/** @typedef {import('../../testbed/rig').Rig} Rig */

/** No body of the old data later than this after a commit. */
const staleMs = 2000;
/** Exit status of the loader (etl/README.md). */
const refusedStatus = 2;
const checksumSql = fs.readFileSync(path.join(__dirname, 'checksum.sql'), 'utf8');

/** @param {Rig} rig */
const command = (rig) => [...loadCatalog(rig.servers.data, rig.state.rejects), '--again'];
/** @param {Rig} rig */
const environmentOf = (rig) => environment('loader', rig.servers.loaderEnv);

/** @param {Rig} rig */
const load = (rig) => runTool(command(rig), { env: environmentOf(rig), keepOutput: true });

/** A load that is killed with everything it started. @param {Rig} rig @param {number} afterMs @returns {Promise<boolean>} whether it still ran */
async function killedLoad(rig, afterMs) {
  const [program, ...words] = command(rig);
  const options = { cwd: root, env: environmentOf(rig), detached: true, stdio: /** @type {const} */ ('ignore') };
  const child = spawn(program, words, options);
  const ended = once(child, 'exit');
  const running = await Promise.race([sleep(afterMs).then(() => true), ended.then(() => false)]);
  if (running) process.kill(-(/** @type {number} */ (child.pid)), 'SIGKILL');
  await ended;
  return running;
}

/** @param {Rig} rig */
async function killedLoads(rig) {
  const checksum = async () => (await query(rig, checksumSql))[0].sum;
  const kills = scaled(rig, 18, 2);
  const sinceMs = performance.now();
  let failed = (await load(rig)).status;
  const tookMs = performance.now() - sinceMs;
  const wanted = await checksum();
  let [killed, different] = [0, 0];
  for (let index = 1; index <= kills; index += 1) {
    if (await killedLoad(rig, (tookMs * index) / (kills + 1))) killed += 1;
    if ((await checksum()) !== wanted) different += 1; // the rows served until the next load
    failed += (await load(rig)).status;
    if ((await checksum()) !== wanted) different += 1;
  }
  await rig.refreshDigests();
  return [
    atLeast(`of ${kills} loads killed while they ran`, killed, Math.ceil(kills / 2)),
    exactly('of the loads after them that failed', failed),
    exactly('times the served rows differed from those of an undisturbed load', different),
  ];
}

/** @param {Rig} rig */
const underTraffic = (rig) =>
  withoutExit(rig, async () => {
    const reader = new Client({ connectionString: rig.servers.postgres.superuserDsn('catalog') });
    await reader.connect();
    const rounds = rig.scale < 1 ? 1 : 5;
    let failed = 0;
    /** @type {import('../../testbed/loadgen/observed').Summary | undefined} */
    let after;
    const { all } = await underLoad(rig, {
      inject: async () => {
        for (let round = 0; round < rounds; round += 1) {
          // A long reader of served tables, like a backup; it ends before the next load needs its schema.
          await reader.query('BEGIN; SELECT count(*) FROM catalog.page_blocks');
          const loading = load(rig);
          await wait(rig, 2);
          await reader.query('COMMIT');
          if ((await loading).status !== 0) failed += 1;
        }
        const committedMs = performance.now();
        await rig.refreshDigests();
        await sleep(Math.max(0, committedMs + staleMs - performance.now()));
        const compared = await rig.startLoad();
        await wait(rig, 3);
        after = (await compared.stop()).all();
      },
      seconds: 0,
      order: { digests: {} }, // the bodies carry the time of their load
    });
    await reader.end();
    if (!after) throw new Error('no load was compared');
    return [
      ...allAnswered(all),
      exactly(`of ${rounds} loads that failed`, failed),
      atMost('slowest request', all.maxMs, 1000, ' ms'),
      exactly(`of ${after.asked} bodies older than the last load, from 2 s after it`, after.wrongBodies),
    ];
  });

/** @param {Rig} rig */
async function twoAtOnce(rig) {
  const first = load(rig);
  await sleep(500);
  const sinceMs = performance.now();
  const second = (await load(rig)).status;
  const tookMs = performance.now() - sinceMs;
  const statuses = [(await first).status, second];
  await rig.refreshDigests();
  return [
    exactly('loads that succeeded', statuses.filter((status) => status === 0).length, 1),
    exactly('exit status of the second one', second, refusedStatus),
    atMost('the second one, with the start of Python', tookMs / 1000, 3, ' s'),
  ];
}

async function loaderTests() {
  const tests = [process.execPath, path.join(root, 'scripts/test.js'), 'tests/etl'];
  const { output } = await runTool(tests, { env: environment('test'), keepOutput: true });
  const [, passed = '0', failed = '-1'] = /^(\d+) passed, (\d+) failed/m.exec(output) ?? [];
  return [atLeast('tests passed', Number(passed), 50), exactly('tests failed', Number(failed))];
}

/** @type {import('../run').Runs} */
const loadFaults = { E1: killedLoads, E4: loaderTests, E7: underTraffic, E10: twoAtOnce };

module.exports = { loadFaults };
