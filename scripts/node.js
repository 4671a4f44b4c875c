'use strict';
const path = require('node:path');
const { parseArgs } = require('node:util');
const { parseInventory, readInventory, writeInventory } = require('./lib/inventory');
const { UsageError } = require('./lib/options');
const { root } = require('./lib/runtime');
const { overSsh } = require('./lib/transport');
const { changes } = require('./node/change');
const { applyUpstreams } = require('./node/upstreams');

const help = `npm run node -- add NAME --address IP [--workers N]   into the inventory and the balancers
npm run node -- add NAME      one that was drained gets requests again
npm run node -- drain NAME    gets nothing new; what it is answering is finished
npm run node -- remove NAME   out of the inventory and the balancers

  --address IP      of a new node
  --workers N       of a new node (default 2)
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
  const { values, positionals } = parseArgs({
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
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const file = values.inventory
    ? path.resolve(cwd, values.inventory)
    : path.join(root, 'inventory.json');
  const workers = values.workers ? { workers: Number(values.workers) } : {};
  const next = nextInventory(file, positionals, { address: values.address, ...workers });
  // The balancers first: an inventory that they refused must not be the one that the next command starts from.
  await applyUpstreams(next, overSsh);
  writeInventory(file, next);
  console.log(`${positionals.join(' ')}: done, the balancers were reloaded`);
  return 0;
}

main().then(
  (status) => process.exit(status),
  (error) => {
    console.error(error instanceof UsageError || !process.env.DEBUG ? error.message : error.stack);
    process.exit(1);
  },
);
