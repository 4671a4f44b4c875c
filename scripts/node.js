'use strict';
const { inventoryFile } = require('./lib/fleet-command');
const { parseInventory, readInventory, writeInventory } = require('./lib/inventory');
const { overSsh } = require('./lib/transport');
const { exitWith, parseWords, UsageError } = require('./lib/usage');
const { changes } = require('./node/change');
const { applyUpstreams } = require('./node/upstreams');

const help = `npm run node -- add NAME --address IP [--workers N]   into the inventory and the balancers
npm run node -- add NAME      one that was drained gets requests again; --address and --workers change it
npm run node -- drain NAME    gets nothing new; what it is answering is finished
npm run node -- remove NAME   out of the inventory and the balancers

  --address IP      where it is
  --workers N       how many it has (a new node: default 2)
  --inventory FILE  default inventory.json beside package.json
  --help            show this and stop`;

/** @param {string} file @param {string[]} words action and name @param {Record<string, any>} fields */
function nextInventory(file, [action, name], fields) {
  const inventory = readInventory(file);
  if (!name || !['add', 'drain', 'remove'].includes(action)) throw new UsageError(help);
  const change = changes[/** @type {'add' | 'drain' | 'remove'} */ (action)];
  return parseInventory(JSON.stringify(change(inventory, name, fields)), file);
}

/** @returns {Promise<number>} exit status */
async function main() {
  const { values, positionals } = parseWords('npm run node', {
    allowPositionals: true,
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
  const file = inventoryFile(values.inventory);
  const workers = values.workers ? { workers: Number(values.workers) } : {};
  const next = nextInventory(file, positionals, { address: values.address, ...workers });
  // The balancers first: an inventory that they refused must not be the one that the next command starts from.
  await applyUpstreams(next, overSsh);
  writeInventory(file, next);
  console.log(`${positionals.join(' ')}: done, the balancers were reloaded`);
  return 0;
}

exitWith(main());
