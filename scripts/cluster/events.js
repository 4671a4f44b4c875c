'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { packed, packedFiles } = require('../fleet/deploy/release');
const { nodeNamed } = require('../fleet/inventory');
const { execute } = require('../fleet/transport');
const { root } = require('../lib/runtime');
const { shellLine } = require('../lib/words');
const { asAdmin } = require('./admin-machine');
const { inventoryOf, saveCluster } = require('./cluster');
const { cutPower, fromClient, processesOf } = require('./machine');
const { bootNode, startRole } = require('./setup');
const { admin } = require('./topology');
const { underLoad } = require('./under-load');
const { load } = require('./up');

const [longestMs, stuckMs] = [1200, 1700]; // stuck: three tries of half a second (nginx/retries.js)
const victim = 'app-2';
const databases = ['db-1', 'db-2'];

/**
 * @typedef {import('./cluster').Cluster} Cluster
 * @typedef {{ measured: string, pass: boolean, inTime?: boolean, failures?: string[] }} Outcome `inTime`: depends on the speed of
 *   the machine, too; `npm test` does not judge it
 * @typedef {{ done: string, target: string, run: (cluster: Cluster, scale: number) => Promise<Outcome> }} Event
 */

/**
 * Requests a second: what two nodes and everything else on two cores answer with room to spare; for a short run,
 * which may share the machine with others, a quarter of it.
 * @param {number} requests @param {number} scale
 */
const sizeOf = (requests, scale) => ({ rate: scale < 1 ? 150 : 600, requests: requests * scale });
/** @param {number} count @param {number} scale */
const some = (count, scale) => Math.max(1, Math.round(count * scale));
/** @param {number} seconds @param {number} scale */
const pause = (seconds, scale) => sleep(some(seconds, scale) * 1000);

/** @param {import('./under-load').Seen} seen @param {boolean} [also] @param {string} [more] @returns {Outcome} */
const outcome = ({ sent, failed, unsent, p99, max, slow, failures }, also = true, more = '') => ({
  measured: `${failed} failed of ${sent}; p99 ${p99} ms, longest ${max} ms, ${slow} over 300 ms${unsent ? `, ${unsent} NOT SENT` : ''}${more}`,
  pass: failed === 0 && unsent === 0 && also,
  failures,
});

/** @param {Cluster} cluster @param {string} name */
async function switchOn(cluster, name) {
  const node = nodeNamed(inventoryOf(cluster), name);
  await bootNode(cluster, node);
  saveCluster(cluster);
  await startRole(cluster, node);
}

/** @param {Cluster} cluster @param {string[]} names of nodes @param {number} seconds for which all their processes are stopped */
async function freeze({ machines }, names, seconds) {
  const signal = (/** @type {NodeJS.Signals} */ each) => {
    for (const pid of names.flatMap((name) => processesOf(machines, name))) process.kill(pid, each);
  };
  signal('SIGSTOP');
  await sleep(seconds * 1000);
  signal('SIGCONT');
}

/** @param {Cluster} cluster @param {string[]} scripts for the administrator's shell @returns {Promise<number>} how many succeeded */
async function succeeded(cluster, scripts) {
  let good = 0;
  for (const script of scripts) if ((await asAdmin(cluster, script)).status === 0) good += 1;
  return good;
}

/**
 * @param {Cluster} cluster @param {string} name @param {string} code of server/index.js
 * @returns {string} a clone on the administrator's machine
 */
function brokenClone({ machines }, name, code) {
  const dir = path.join('/srv', name);
  const seen = path.join('/proc', String(machines.pids[admin.name]), 'root', dir);
  for (const entry of [...packed, ...packedFiles]) {
    fs.cpSync(path.join(root, entry), path.join(seen, entry), { recursive: true });
  }
  fs.writeFileSync(path.join(seen, 'server/index.js'), code);
  return dir;
}

/** @type {Record<string, Event>} in the order in which they run: the last leaves another primary */
const events = {
  kill: {
    done: 'SIGKILL to the first process of a node: PM2, workers and address are gone; then the node comes back',
    target: '0 failed of 50,000',
    run: async (cluster, scale) => {
      const seen = await underLoad(cluster, sizeOf(50_000, scale), async () => {
        await cutPower(cluster.machines, victim);
        await pause(10, scale);
        await switchOn(cluster, victim);
      });
      return outcome(seen);
    },
  },
  freeze: {
    done: 'SIGSTOP to all processes of a node for 20 s',
    target: '0 failed, none over 1.2 s',
    run: async (cluster, scale) => {
      const happen = () => freeze(cluster, [victim], some(20, scale));
      const seen = await underLoad(cluster, sizeOf(30_000, scale), happen);
      return outcome(seen, seen.max <= longestMs);
    },
  },
  drop: {
    done: 'a node is unplugged from the switch for 20 s: its packets vanish',
    target: '0 failed, none over 1.2 s',
    run: async (cluster, scale) => {
      const plug = (/** @type {string[]} */ ...words) =>
        execute(fromClient(cluster.machines, ['ip', 'link', 'set', victim, ...words]));
      const seen = await underLoad(cluster, sizeOf(30_000, scale), async () => {
        await plug('nomaster');
        await pause(20, scale);
        await plug('master', 'br0');
      });
      return outcome(seen, seen.max <= longestMs);
    },
  },
  stuck: {
    done: 'SIGSTOP to both databases for 10 s',
    target: 'none over 1.7 s; what was not answered 200 was 503',
    run: async (cluster, scale) => {
      const happen = () => freeze(cluster, databases, some(10, scale));
      const seen = await underLoad(cluster, sizeOf(20_000, scale), happen);
      const pass = seen.failed === seen.refused && seen.unsent === 0 && seen.max <= stuckMs;
      return { ...outcome(seen, true, `; ${seen.refused} of these were answered 503`), pass };
    },
  },
  deploys: {
    done: '10 rolling deploys of all nodes',
    target: '0 failed of 100,000',
    run: async (cluster, scale) => {
      const deploys = Array(some(10, scale)).fill('npm run deploy');
      let good = 0;
      const seen = await underLoad(cluster, sizeOf(100_000, scale), async () => {
        good = await succeeded(cluster, deploys);
      });
      return outcome(seen, good === deploys.length, `; ${good} of ${deploys.length} deploys went through`);
    },
  },
  broken: {
    done: 'a release that crashes at its start is deployed, and one that never gets ready',
    target: '0 failed, both deploys refused, the release before serves',
    run: async (cluster, scale) => {
      const crash = brokenClone(cluster, 'crash', "throw new Error('broken on purpose');\n");
      const mute = brokenClone(cluster, 'mute', 'setInterval(() => {}, 1000);\n');
      let back = 0;
      const seen = await underLoad(cluster, sizeOf(50_000, scale), async () => {
        for (const clone of [crash, mute]) {
          const deploy = [`${clone}/scripts/deploy.js`, '--inventory', `${root}/inventory.json`];
          const { status, printed } = await asAdmin(cluster, shellLine([process.execPath, ...deploy]));
          if (status === 1 && printed.endsWith('all are back on the release before')) back += 1;
        }
      });
      return outcome(seen, back === 2, `; ${back} of 2 refused and taken back`);
    },
  },
  nodes: {
    done: 'a node is drained, removed and added again, ten times, each with a reload of nginx',
    target: '0 failed',
    run: async (cluster, scale) => {
      const { address } = nodeNamed(inventoryOf(cluster), victim);
      const round = [`drain ${victim}`, `remove ${victim}`, `add ${victim} --address ${address}`];
      const changes = Array(some(10, scale)).fill(round).flat();
      const scripts = changes.map((words) => `npm run node -- ${words}`);
      let good = 0;
      const seen = await underLoad(cluster, sizeOf(30_000, scale), async () => {
        good = await succeeded(cluster, scripts);
      });
      return outcome(seen, good === scripts.length, `; ${good} of ${scripts.length} changes went through`);
    },
  },
  promote: {
    done: 'SIGKILL to the primary database, npm run promote, then a whole load into the new primary',
    target: 'no read failed; a write is taken within 10 s',
    run: async (cluster, scale) => {
      let writeSeconds = Infinity;
      let loadSeconds = Infinity;
      const seen = await underLoad(cluster, sizeOf(30_000, scale), async () => {
        const startMs = performance.now();
        const seconds = () => (performance.now() - startMs) / 1000;
        await cutPower(cluster.machines, 'db-1');
        const { status, printed } = await asAdmin(cluster, 'npm run promote -- db-2');
        if (status !== 0) throw new Error(`npm run promote: ${printed}`);
        writeSeconds = seconds();
        load(cluster, path.join(cluster.machines.dir, 'sample'), 0);
        loadSeconds = seconds();
      });
      const more = `; writes back after ${writeSeconds.toFixed(1)} s, a load was served after ${loadSeconds.toFixed(1)} s`;
      return { ...outcome(seen, true, more), inTime: writeSeconds <= 10 };
    },
  },
};

module.exports = { events };
