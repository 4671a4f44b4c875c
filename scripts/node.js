'use strict';
const { changeFleet, inventoryFile, withInventoryLock } = require('./fleet/fleet-command');
const { parseInventory, readInventory } = require('./fleet/inventory');
const { overSsh } = require('./fleet/transport');
const { wholeNumber } = require('./lib/command-line');
const { requireOneOf, runCommand, text } = require('./lib/words');
const { changes } = require('./fleet/node/change');
const { applyUpstreams } = require('./fleet/node/upstreams');

const help = `npm run node -- add NAME --address IP [--workers N]   adds it to the inventory and the balancers
npm run node -- add NAME      sends requests to a drained node again; --address and --workers change it
npm run node -- drain NAME    sends no new requests; those in progress are answered
npm run node -- remove NAME   removes it from the inventory and the balancers

  --address IP      its address
  --workers N       its number of workers (a new node: default 2)
  --inventory FILE  default inventory.json beside package.json
  --help            this text`;

/** @param {string} file @param {string[]} words action and name @param {Record<string, any>} fields */
function nextInventory(file, [action, name], fields) {
  const change = changes[/** @type {'add' | 'drain' | 'remove'} */ (action)];
  return parseInventory(JSON.stringify(change(readInventory(file), name, fields)), file);
}

const options = { address: text(), workers: text(), inventory: text() };
const words = ['add|drain|remove', 'NAME']; // a user would think that a second name is drained too

runCommand('npm run node', { help, words, options }, async ({ values, positionals }) => {
  requireOneOf('action', positionals[0], Object.keys(changes));
  const file = inventoryFile(values.inventory);
  const workers = values.workers ? { workers: wholeNumber('workers', values.workers, 256) } : {};
  return withInventoryLock(file, async () => {
    const next = nextInventory(file, positionals, { address: values.address, ...workers });
    // The balancers first: the next command must not start from an inventory that they refused.
    const reloaded = await changeFleet(file, next, () => applyUpstreams(next, overSsh));
    const effect = reloaded.length > 0 ? `reloaded: ${reloaded.join(', ')}` : 'but the inventory has no balancer';
    console.log(`${positionals.join(' ')}: done, ${effect}`);
  });
});
