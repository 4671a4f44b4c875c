'use strict';
const { spawnSync } = require('node:child_process');
const { shellOn } = require('./cluster/admin-machine');
const { clusterDir, inventoryOf, readCluster, transportOf } = require('./cluster/cluster');
const { endAll } = require('./cluster/machine');
const { prove } = require('./cluster/prove');
const { events } = require('./cluster/events');
const { up } = require('./cluster/up');
const { commands } = require('./fleet/deploy/commands');
const { environment } = require('./lib/environment');
const { appNodes, workersOf } = require('./fleet/inventory');
const { wholeNumber } = require('./lib/command-line');
const { flag, requireOneOf, runCommand, text } = require('./lib/words');

const help = `npm run cluster -- up [--nodes N] [--products N]   starts balancer, two databases, cache, N app nodes (root)
npm run cluster -- status
npm run cluster -- down            stops all of it, also after a crash
npm run cluster -- on NAME SCRIPT  runs a script on a node: on admin 'npm run deploy', on lb-1 'tail …'
npm run cluster -- prove [EVENT…]  causes failures under load, into results/cluster.md

  --nodes N     app nodes (default 3)
  --products N  products in the generated catalog (default 10000)
  --short       prove: a tenth of the load
  --help        this text

Events: ${Object.keys(events).join(', ')}`;

/** @returns {Promise<number>} 0 when every worker is ready */
async function status() {
  const cluster = readCluster();
  let late = 0;
  for (const node of appNodes(inventoryOf(cluster))) {
    for (const { port, adminPort } of workersOf(node)) {
      const { status: code } = await transportOf(cluster)(node, commands.awaitReady(adminPort, 1));
      console.log(`${node.name} ${port} ${node.state} ${code === 0 ? 'ready' : 'NOT READY'}`);
      late += code === 0 ? 0 : 1;
    }
  }
  return late === 0 ? 0 : 1;
}

/** What follows each action. @type {Record<string, string[]>} */
const actions = { up: [], status: [], down: [], on: ['NAME', 'SCRIPT'], prove: ['[EVENT…]'] };

const words = [Object.keys(actions).join('|'), '[…]'];
const options = { nodes: text('3'), products: text('10000'), short: flag };

runCommand('npm run cluster', { help, words, actions, options }, async ({ values, positionals }) => {
  const [action, ...names] = positionals;
  requireOneOf('action', action, Object.keys(actions));
  if (action === 'up') {
    const sizes = {
      nodes: wholeNumber('nodes', values.nodes, 9),
      products: wholeNumber('products', values.products, 10_000_000),
    };
    await up({ dir: clusterDir, ...sizes, say: console.log });
    console.log("up: http://10.77.0.10 and https://10.77.0.10, from inside: npm run cluster -- on admin 'curl …'");
    return 0;
  }
  if (action === 'status') return status();
  if (action === 'on') {
    const cluster = readCluster();
    const [name, script] = names;
    requireOneOf('node', name, Object.keys(cluster.machines.pids));
    const [program, ...more] = shellOn(cluster, name, script);
    return spawnSync(program, more, { stdio: 'inherit', env: environment('ssh') }).status ?? 1;
  }
  if (action === 'down') {
    console.log(`ended ${await endAll(clusterDir)} processes of the cluster`);
    return 0;
  }
  for (const name of names) requireOneOf('event', name, Object.keys(events));
  return prove(readCluster(), names, { short: values.short, say: console.log });
});
