'use strict';
const path = require('node:path');
const { parseArgs } = require('node:util');
const { deploy, rollback } = require('./deploy/deploy');
const { readInventory } = require('./lib/inventory');
const { UsageError } = require('./lib/options');
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
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const file = values.inventory
    ? path.resolve(cwd, values.inventory)
    : path.join(root, 'inventory.json');
  const fleet = { inventory: readInventory(file), transport: overSsh, say: console.log };
  const { ok, reason } = await (positionals[0] === 'rollback'
    ? rollback(fleet)
    : deploy(fleet, root));
  console[ok ? 'log' : 'error'](reason);
  return ok ? 0 : 1;
}

main(process.argv.slice(2)).then(
  (status) => process.exit(status),
  (error) => {
    console.error(error instanceof UsageError || !process.env.DEBUG ? error.message : error.stack);
    process.exit(1);
  },
);
