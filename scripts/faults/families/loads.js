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
const { atMost, atLeast, exactly } = require('../checks');
const { underLoad, wait, withoutExit } = require('../scenario');
const { query } = require('./postgres');

/** @typedef {import('../rig').Rig} Rig */

/** Nothing of the old data later than this after a commit, row E8 of the catalogue. */
const staleMs = 2000;
/** Exit status of the loader, as etl/README.md has it. */
const refusedStatus = 2;

/** @param {Rig} rig */
const command = (rig) => [...loadCatalog(rig.servers.data, rig.state.rejects), '--again'];
/** @param {Rig} rig */
const environmentOf = (rig) => environment('loader', rig.servers.loaderEnv);

/** @param {Rig} rig @returns {Promise<number>} exit status */
const load = async (rig) => (await runTool(command(rig), { env: environmentOf(rig), keepOutput: true })).status;

const checksumSql = fs.readFileSync(path.join(__dirname, 'checksum.sql'), 'utf8');

/** @param {Rig} rig @returns {Promise<string>} */
const checksum = async (rig) => (await query(rig, checksumSql))[0].sum;

/** A load that is killed with everything it started. @param {Rig} rig @param {number} afterMs @returns {Promise<boolean>} whether it was still at it */
async function killedLoad(rig, afterMs) {
  const [program, ...words] = command(rig);
  const child = spawn(program, words, {
    cwd: root,
    env: environmentOf(rig),
    detached: true,
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const running = await Promise.race([sleep(afterMs).then(() => true), ended.then(() => false)]);
  if (running) process.kill(-(/** @type {number} */ (child.pid)), 'SIGKILL');
  await ended;
  return running;
}

/** @param {Rig} rig */
async function killedLoads(rig) {
  const kills = Math.max(2, Math.round(18 * Math.min(1, rig.scale)));
  const sinceMs = performance.now();
  const failedFirst = await load(rig);
  const tookMs = performance.now() - sinceMs;
  const wanted = await checksum(rig);
  let [killed, different, failed] = [0, 0, failedFirst];
  for (let index = 1; index <= kills; index += 1) {
    if (await killedLoad(rig, (tookMs * index) / (kills + 1))) killed += 1;
    if ((await checksum(rig)) !== wanted) different += 1; // what is served in the meantime
    failed += await load(rig);
    if ((await checksum(rig)) !== wanted) different += 1;
  }
  await rig.refreshTruth();
  return [
    atLeast(`of ${kills} loads killed on their way`, killed, Math.ceil(kills / 2)),
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
    /** @type {number[]} */
    const statuses = [];
    /** @type {import('../../testbed/loadgen/observed').Summary | undefined} */
    let after;
    const course = await underLoad(rig, {
      inject: async () => {
        for (let round = 0; round < rounds; round += 1) {
          // A long reader of what is served, as a backup is; it ends before the next load needs its schema.
          await reader.query('BEGIN; SELECT count(*) FROM catalog.page_blocks');
          const loading = load(rig);
          await wait(rig, 2);
          await reader.query('COMMIT');
          statuses.push(await loading);
        }
        const committedMs = performance.now();
        await rig.refreshTruth();
        await sleep(Math.max(0, committedMs + staleMs - performance.now()));
        const compared = await rig.startLoad();
        await wait(rig, 3);
        after = (await compared.stop()).all();
      },
      heal: () => {},
      seconds: 0,
      order: { digests: {} }, // each load has a time of its own in the bodies, which that of the first would not allow
    });
    await reader.end();
    if (!after) throw new Error('no load was compared');
    return [
      exactly(`requests of ${course.all.asked} not answered 200`, course.all.asked - course.all.ok),
      exactly(`of ${rounds} loads that failed`, statuses.filter(Boolean).length),
      atMost('slowest request', course.all.maxMs, 1000, ' ms'),
      exactly(`of ${after.asked} bodies older than the last load, from 2 s after it`, after.wrongBodies),
    ];
  });

/** @param {Rig} rig */
async function twoAtOnce(rig) {
  const first = load(rig);
  await sleep(500);
  const sinceMs = performance.now();
  const second = await load(rig);
  const tookMs = performance.now() - sinceMs;
  const statuses = [await first, second];
  await rig.refreshTruth();
  return [
    exactly('loads that went through', statuses.filter((status) => status === 0).length, 1),
    exactly('exit status of the second one', second, refusedStatus),
    atMost('the second one, with the start of Python', tookMs / 1000, 3, ' s'),
  ];
}

/** The loader's own tests: every kind of dirt, each row accounted for. */
async function dirty() {
  const { output } = await runTool([process.execPath, path.join(root, 'scripts/test.js'), 'tests/etl'], {
    env: environment('test'),
    keepOutput: true,
  });
  const [, passed = '0', failed = '-1'] = /^(\d+) passed, (\d+) failed/m.exec(output) ?? [];
  return [atLeast('tests passed', Number(passed), 50), exactly('tests failed', Number(failed))];
}

/** @type {import('../run').Fault[]} */
const loadFaults = [
  {
    id: 'E1',
    title: 'Loader killed',
    done: 'kill -9 at 18 moments spread over a load, each time started again',
    run: killedLoads,
  },
  {
    id: 'E4',
    title: 'Dirty files (E3 to E6)',
    done: "the loader's tests: every defect, each row loaded, repaired or rejected",
    run: dirty,
  },
  {
    id: 'E7',
    title: 'Loads under traffic (E7 to E9)',
    done: 'five loads with a swap each, a long reader beside them',
    run: underTraffic,
  },
  {
    id: 'E10',
    title: 'Two loads at once',
    done: 'a second loader half a second after the first',
    run: twoAtOnce,
  },
];

module.exports = { loadFaults };
