'use strict';
const path = require('node:path');
const { runOrThrow } = require('../../../scripts/lib/run');
const { atMost } = require('../judge');
const { databaseIncidents } = require('./database-incidents');
const { address, answered, freeze, kept, pause, plug, sizeOf, some } = require('./incident');
const { switchOff, switchOn, underBoth, underReads, until } = require('./incident');
const { saturate } = require('./saturate');

/* The table of incidents. These are of nodes, balancers, the cache and deploys. */

/** @import { Incident } from './incident' */
/** @import { Fleet } from './use-machines' */

const [longestMs, stuckMs] = [1200, 1700]; // stuck: three tries of half a second (nginx/retries.js)
const [movesMs, movedMs] = [5_000, 30_000];
const victim = 'app-2';
const databases = ['db-1', 'db-2', 'db-3'];

/** @param {Fleet} fleet @param {string} file of a release */
const deploy = ({ admin }, file) => admin.run('admin', `npm run -s fleet -- deploy -e release_file=${file}`);

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

/** @template T @param {T[]} all done in turn @param {(each: T) => Promise<boolean>} act @returns {Promise<number>} how many succeeded */
async function succeeded(all, act) {
  const results = [];
  for (const each of all) results.push(await act(each));
  return results.filter(Boolean).length;
}

/**
 * No request may fail, or take longer than `mostMs`.
 * @param {number} requests @param {(fleet: Fleet, scale: number) => Promise<void>} happen
 * @param {number} [mostMs] @returns {Incident['run']}
 */
const unnoticed =
  (requests, happen, mostMs = Infinity) =>
  async (fleet, scale) => {
    const seen = await underReads(fleet, sizeOf(requests, scale), () => happen(fleet, scale));
    return { ...answered(seen), longestMs: [seen.max, atMost(mostMs)] };
  };

/** The pages drain-a-node.md and new-node.md of the runbook. */
const drains = [`npm run -s fleet -- drain -e node=${victim}`, `npm run -s fleet -- undrain -e node=${victim}`];
const removes = [
  drains[0],
  `sed -i.whole -e '/^ *${victim}:/d' -e 's/, ${victim}: {}//' inventory/hosts.yml && npm run -s fleet -- site --limit lb:monitor`,
  'mv inventory/hosts.yml.whole inventory/hosts.yml && npm run -s fleet -- site',
];

/**
 * @param {string[]} scripts of the administrator, in turn @param {number} rounds @param {boolean} resend
 * @returns {Incident['run']} no request may fail
 */
const changed = (scripts, rounds, resend) => async (fleet, scale) => {
  const all = Array(some(rounds, scale)).fill(scripts).flat();
  let good = 0;
  const seen = await underReads(fleet, { ...sizeOf(30_000, scale), resend }, async () => {
    good = await succeeded(all, async (script) => (await fleet.admin.run('admin', script)).status === 0);
  });
  return { ...answered(seen), sentTwice: [seen.again], changes: [good, all.length] };
};

/** @type {Record<string, Incident>} in the order in which they run */
const incidents = {
  kill: {
    done: 'an app node loses its power, and comes back after 10 s',
    target: '0 failed of 50,000',
    run: unnoticed(50_000, (fleet, scale) => switchOff(fleet, victim, 10, scale)),
  },
  freeze: {
    done: 'all processes of an app node stop for 20 s',
    target: '0 failed, none over 1.2 s',
    run: unnoticed(30_000, (fleet, scale) => freeze(fleet, [victim], some(20, scale) * 1000), longestMs),
  },
  drop: {
    done: 'an app node is unplugged for 20 s: its packets vanish',
    target: '0 failed, none over 1.2 s',
    run: unnoticed(
      30_000,
      async (fleet, scale) => {
        plug(fleet, victim, 'nomaster');
        await pause(20, scale);
        plug(fleet, victim, 'master', 'br0');
      },
      longestMs,
    ),
  },
  stuck: {
    done: 'all processes of all databases stop for 10 s',
    target: 'none over 1.7 s; what was not answered 200 was 503',
    run: async (fleet, scale) => {
      const happen = () => freeze(fleet, databases, some(10, scale) * 1000);
      const seen = await underReads(fleet, sizeOf(20_000, scale), happen);
      const { failed, refused, max } = seen;
      return { ...answered(seen), failed: [failed, refused], refused: [refused], longestMs: [max, atMost(stuckMs)] };
    },
  },
  cache: {
    done: 'the cache loses its power for 20 s',
    target: '0 failed of 30,000',
    run: unnoticed(30_000, (fleet, scale) => switchOff(fleet, 'cache-1', 20, scale)),
  },
  balancer: {
    done: 'the balancer with the public address loses its power, and comes back',
    target: 'the address moves within 5 s; no request that begins after the move fails; writes back within 15 s',
    run: async (fleet, scale) => {
      let [offMs, onMs] = [0, 0];
      const { seen, written } = await underBoth(fleet, { ...sizeOf(30_000, scale), resend: true }, async (writes) => {
        const [holder, peer] = (await holds(fleet, 'lb-1')) ? ['lb-1', 'lb-2'] : ['lb-2', 'lb-1'];
        offMs = Date.now();
        const moved = until(`${peer} has ${address}`, () => holds(fleet, peer), movedMs);
        await Promise.all([fleet.machines[holder].stop(), moved.then(() => (onMs = Date.now()))]);
        await writes.more('acknowledged', 20);
        await switchOn(fleet, holder);
      });
      return {
        ...answered(seen),
        failed: [seen.failed],
        movedAfterMs: [onMs - offMs, atMost(movesMs)],
        failedAfterMs: [Math.max(0, seen.lastFailedMs - offMs), atMost(onMs - offMs)],
        ...kept(written, 15_000),
      };
    },
  },
  deploys: {
    done: '10 rolling deploys of two releases in turn',
    target: '0 failed of 100,000; every deploy ends with status 0',
    run: async (fleet, scale) => {
      const files = [await variant(fleet, 'other'), fleet.release];
      const rounds = Array.from({ length: some(10, scale) }, (_, round) => files[round % 2]);
      let good = 0;
      const seen = await underReads(fleet, sizeOf(100_000, scale), async () => {
        good = await succeeded(rounds, async (file) => (await deploy(fleet, file)).status === 0);
      });
      return { ...answered(seen), deploys: [good, rounds.length] };
    },
  },
  broken: {
    done: 'a release that crashes at its start is deployed, and one that never gets ready',
    target: '0 failed; both deploys are refused, and the release before serves',
    run: async (fleet, scale) => {
      const crash = await variant(fleet, 'crash', "throw new Error('broken on purpose');");
      const mute = await variant(fleet, 'mute', 'setInterval(() => {}, 1000);');
      const serves = () => fleet.admin.must(victim, 'readlink /opt/catalog/current');
      const before = await serves();
      let back = 0;
      const seen = await underReads(fleet, sizeOf(50_000, scale), async () => {
        back = await succeeded([crash, mute], async (file) => {
          const { status, output } = await deploy(fleet, file);
          return status !== 0 && output.includes('all are back on the release before') && (await serves()) === before;
        });
      });
      return { ...answered(seen), takenBack: [back, 2] };
    },
  },
  drains: {
    done: 'an app node is drained and undrained, five times',
    target: '0 failed',
    run: changed(drains, 5, false),
  },
  nodes: {
    done: 'an app node is drained, removed from the inventory, and added again, twice; idle connections close at a reload of this nginx',
    target: '0 failed; clients send a request again when the idle connection that they took was closed, as browsers do',
    run: changed(removes, 2, true),
  },
  saturate,
  ...databaseIncidents,
};

module.exports = { incidents };
