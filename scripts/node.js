'use strict';
const { changeFleet, inventoryFile, withInventoryLock } = require('./fleet/fleet-command');
const { parseInventory, readInventory } = require('./fleet/inventory');
const { overSsh } = require('./fleet/transport');
const { exitWith, wholeNumber } = require('./lib/command-line');
const { parseWords, requireOneOf } = require('./lib/words');
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

/** @returns {Promise<number>} exit status */
async function main() {
  const { values, positionals } = parseWords('npm run node', {
    words: ['add|drain|remove', 'NAME'], // a second name would be taken for drained
    options: {
      address: { type: 'string' },
      workers: { type: 'string' },
      inventory: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  requireOneOf('action', positionals[0], Object.keys(changes));
  const file = inventoryFile(values.inventory);
  const workers = values.workers ? { workers: wholeNumber('workers', values.workers, 256) } : {};
  return withInventoryLock(file, async () => {
    const next = nextInventory(file, positionals, { address: values.address, ...workers });
    // The balancers first: an inventory that they refused must not be the one that the next command starts from.
    const reloaded = await changeFleet(file, next, () => applyUpstreams(next, overSsh));
    const effect = reloaded.length > 0 ? `reloaded: ${reloaded.join(', ')}` : 'but the inventory has no balancer';
    console.log(`${positionals.join(' ')}: done, ${effect}`);
    return 0;
  });
}

exitWith(main());
