'use strict';
const { parseArgs } = require('node:util');
const { deploy, rollback } = require('./deploy/deploy');
const { exitWith, inventoryFile } = require('./lib/fleet-command');
const { readInventory } = require('./lib/inventory');
const { root } = require('./lib/runtime');
const { overSsh } = require('./lib/transport');

const help = `npm run deploy -- [--inventory FILE]     this clone, worker by worker, on every app node
npm run rollback -- [--inventory FILE]   the release before

  --inventory FILE  default inventory.json beside package.json
  --help            show this and stop`;

/** @param {string[]} words @returns {Promise<number>} exit status */
async function main(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { inventory: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const file = inventoryFile(values.inventory);
  const fleet = { inventory: readInventory(file), transport: overSsh, say: console.log };
  const { ok, reason } = await (positionals[0] === 'rollback'
    ? rollback(fleet)
    : deploy(fleet, root));
  console[ok ? 'log' : 'error'](reason);
  return ok ? 0 : 1;
}

exitWith(main(process.argv.slice(2)));
