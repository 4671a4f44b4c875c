'use strict';
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { runOrThrow } = require('../../../scripts/lib/run');
const { atLeast, atMost } = require('../judge');
const { databaseIncidents } = require('./database-incidents');
const { address, answered, curl, freeze, kept, pause, sizeOf, some } = require('./incident');
const { underBoth, underLoad, underReads, until } = require('./incident');

/* The table of incidents. These are of nodes, balancers, the cache and deploys. */

/** @import { Incident } from './incident' */
/** @import { Fleet } from './use-machines' */

const [longestMs, stuckMs] = [1200, 1700]; // stuck: three tries of half a second (nginx/retries.js)
const [movesMs, movedMs] = [5_000, 30_000];
const victim = 'app-2';
const databases = ['db-1', 'db-2', 'db-3'];

/** @param {string} file of a release */
const deploy = (file) => `npm run -s fleet -- deploy -e release_file=${file}`;

/**
 * Makes another release of the same commit, on the disk: a release is half a gigabyte.
 * @param {Fleet} fleet @param {string} name that follows the id @param {string} [code] of server/index.js
 * @returns {Promise<string>} its file, which has its digest beside it
 */
async function variant({ dir, release }, name, code = '') {
  const file = path.join(dir, path.basename(release).replace(/\.tar$/, `-${name}.tar`));
  const script = `rm -rf "$0" && mkdir -p "$0" && cd "$0" && tar -xf "$1" && mv * "$2"
    [ -z "$3" ] || printf '%s\n' "$3" > "$2/server/index.js"
    tar --owner=0 --group=0 -cf "../catalog-$2.tar" "$2" && cd .. && sha256sum "catalog-$2.tar" > "catalog-$2.tar.sha256" && rm -r "$0"`;
  const id = path.basename(file).slice('catalog-'.length, -'.tar'.length);
  await runOrThrow(['bash', '-ec', script, path.join(dir, 'variant'), release, id, code]);
  return file;
}

/** @param {Fleet} fleet @param {string} name of a balancer @returns {Promise<boolean>} whether it has the public address */
const holds = async ({ machines }, name) =>
  (await machines[name].run('ip -br -4 address')).output.includes(` ${address}/`);

/** @param {string} name of a node @param {number} seconds @returns {(fleet: Fleet, scale: number) => Promise<void>} */
const offFor =
  (name, seconds) =>
  async ({ machines }, scale) => {
    await machines[name].stop();
    await pause(seconds, scale);
    await machines[name].boot();
  };

/**
 * No request may fail, or take longer than `mostMs`.
 * @param {number} requests @param {(fleet: Fleet, scale: number) => Promise<void>} happen
 * @param {number} [mostMs] @returns {Incident['run']}
 */
const unnoticed =
  (requests, happen, mostMs = Infinity) =>
  async (fleet, scale) => {
    const seen = await underReads(fleet, sizeOf(requests, scale), () => happen(fleet, scale));
    return { ...answered(seen), longestMs: [seen.maxMs, atMost(mostMs)] };
  };

/** The pages drain-a-node.md and new-node.md of the runbook. */
const drains = [`npm run -s fleet -- drain -e node=${victim}`, `npm run -s fleet -- undrain -e node=${victim}`];
const removes = [
  drains[0],
  `sed -i.whole -e '/^ *${victim}:/d' -e 's/, ${victim}: {}//' inventory/hosts.yml && npm run -s fleet -- site --limit lb:monitor`,
  'mv inventory/hosts.yml.whole inventory/hosts.yml && npm run -s fleet -- site',
];

/**
 * No request may fail, and every script succeeds.
 * @param {number} requests @param {(fleet: Fleet) => Promise<string[]> | string[]} scriptsOf the administrator, in turn
 * @param {number} rounds @param {boolean} [resend] @returns {Incident['run']}
 */
const changed = (requests, scriptsOf, rounds, resend) => async (fleet, scale) => {
  const all = Array(some(rounds, scale))
    .fill(await scriptsOf(fleet))
    .flat();
  let good = 0;
  const seen = await underReads(fleet, { ...sizeOf(requests, scale), resend }, async () => {
    for (const script of all) if ((await fleet.admin.run('admin', script)).status === 0) good += 1;
  });
  return { ...answered(seen), sentTwice: [seen.again], changes: [good, all.length] };
};

const workers = [3030, 3031];
/** More requests a second than a worker answers. */
const rate = 7000;
const answersMs = 2000;
/** A share of the requests: fewer would be bad luck with connections. */
const leastLeft = 0.1;

/** @param {Fleet} fleet @param {string} expression of Prometheus @returns {Promise<number>} of its first series; NaN: no answer */
async function query(fleet, expression) {
  const url = `http://${fleet.addresses['mon-1']}:9090/api/v1/query`;
  const text = await curl(fleet, ['-f', '-G', url, '--data-urlencode', `query=${expression}`]);
  return text ? Number(JSON.parse(text).data.result[0]?.value[1] ?? NaN) : NaN;
}

/** Asks each second. @param {Fleet} fleet @param {AbortSignal} over @returns {Promise<{ questions: number, silent: number, maxMs: number }>} */
async function watch(fleet, over) {
  const seen = { questions: 0, silent: 0, maxMs: 0 };
  for (; !over.aborted; await sleep(1000)) {
    const startMs = performance.now();
    if (Number.isNaN(await query(fleet, 'count(up)'))) seen.silent += 1;
    seen.questions += 1;
    seen.maxMs = Math.max(seen.maxMs, Math.round(performance.now() - startMs));
  }
  return seen;
}

/** @type {Record<string, Incident>} in the order in which they run */
const incidents = {
  kill: {
    done: 'an app node loses its power, and comes back after 10 s',
    run: unnoticed(50_000, offFor(victim, 10)),
  },
  freeze: {
    done: 'all processes of an app node stop for 20 s',
    run: unnoticed(30_000, (fleet, scale) => freeze(fleet, [victim], some(20, scale) * 1000), longestMs),
  },
  drop: {
    done: 'an app node is unplugged for 20 s: its packets vanish',
    run: unnoticed(
      30_000,
      async (fleet, scale) => {
        fleet.machines[victim].plug(false);
        await pause(20, scale);
        fleet.machines[victim].plug(true);
      },
      longestMs,
    ),
  },
  stuck: {
    done: 'all processes of all databases stop for 10 s',
    run: async (fleet, scale) => {
      const happen = () => freeze(fleet, databases, some(10, scale) * 1000);
      const seen = await underReads(fleet, sizeOf(20_000, scale), happen);
      return { ...answered(seen), failed: [seen.asked - seen.ok, seen.shed], longestMs: [seen.maxMs, atMost(stuckMs)] };
    },
  },
  cache: {
    done: 'the cache loses its power for 20 s',
    run: unnoticed(30_000, offFor('cache-1', 20)),
  },
  balancer: {
    done: 'the balancer with the public address loses its power, and comes back',
    run: async (fleet, scale) => {
      let [offMs, onMs] = [0, 0];
      const { seen, written } = await underBoth(fleet, { ...sizeOf(30_000, scale), resend: true }, async (writes) => {
        const [holder, peer] = (await holds(fleet, 'lb-1')) ? ['lb-1', 'lb-2'] : ['lb-2', 'lb-1'];
        offMs = Date.now();
        const moved = until(`${peer} has ${address}`, () => holds(fleet, peer), movedMs);
        await Promise.all([fleet.machines[holder].stop(), moved.then(() => (onMs = Date.now()))]);
        await writes.more('acknowledged', 20);
        await fleet.machines[holder].boot();
      });
      return {
        ...answered(seen),
        failed: [seen.asked - seen.ok],
        movedAfterMs: [onMs - offMs, atMost(movesMs)],
        failedAfterMs: [Math.max(0, seen.lastFailedMs - offMs), atMost(onMs - offMs)],
        ...kept(written, 15_000),
      };
    },
  },
  deploys: {
    done: '10 rolling deploys of two releases in turn',
    run: changed(100_000, async (fleet) => [deploy(await variant(fleet, 'other')), deploy(fleet.release)], 5),
  },
  broken: {
    done: 'a release that crashes at its start is deployed, and one that never gets ready',
    run: async (fleet, scale) => {
      const crash = await variant(fleet, 'crash', "throw new Error('broken on purpose');");
      const mute = await variant(fleet, 'mute', 'setInterval(() => {}, 1000);');
      const serves = () => fleet.admin.must(victim, 'readlink /opt/catalog/current');
      const before = await serves();
      let back = 0;
      const seen = await underReads(fleet, sizeOf(50_000, scale), async () => {
        for (const file of [crash, mute]) {
          const { status, output } = await fleet.admin.run('admin', deploy(file));
          const isBack = status !== 0 && output.includes('all are back on the release before');
          if (isBack && (await serves()) === before) back += 1;
        }
      });
      return { ...answered(seen), takenBack: [back, 2] };
    },
  },
  drains: {
    done: 'an app node is drained and undrained, five times',
    run: changed(30_000, () => drains, 5),
  },
  nodes: {
    done: 'an app node is drained, removed from the inventory, and added again, twice; idle connections close at a reload of this nginx',
    run: changed(30_000, () => removes, 2, true),
  },
  /** A monitor that fell silent when its nodes are too busy would be blind at the only moment that matters. */
  saturate: {
    done: `each worker of an app node gets ${rate} requests a second for 30 s, more than it answers`,
    run: async (fleet, scale) => {
      const size = { rate, requests: rate * some(30, scale) };
      const [over, startMs] = [new AbortController(), Date.now()];
      const watched = watch(fleet, over.signal);
      const load = (/** @type {number} */ port) =>
        underLoad({ network: fleet.network, base: `http://${fleet.addresses[victim]}:${port}` }, size, async () => {});
      const loads = await Promise.all(workers.map(load)).finally(() => over.abort());
      const { questions, silent, maxMs } = await watched;
      const up = await query(fleet, `min(min_over_time(up{node!="${victim}"}[${Date.now() - startMs}ms]))`);
      const [asked, ok, shed, unsent] = /** @type {const} */ (['asked', 'ok', 'shed', 'unsent']).map((name) =>
        loads.reduce((sum, each) => sum + each[name], 0),
      );
      return {
        questions: [questions],
        silent: [silent, 0],
        longestAnswerMs: [maxMs, atMost(answersMs)],
        everyScrape: [up, 1],
        answered: [ok],
        tooMany: [shed + unsent, atLeast(leastLeft * asked)],
      };
    },
  },
  ...databaseIncidents,
};

module.exports = { incidents };
