'use strict';
const { deploy, rollback } = require('./fleet/deploy/deploy');
const { inventoryFile } = require('./fleet/fleet-command');
const { readInventory } = require('./fleet/inventory');
const { root } = require('./lib/runtime');
const { overSsh } = require('./fleet/transport');
const { runCommand, text } = require('./lib/words');

const help = `npm run deploy -- [--inventory FILE]               deploys this clone on every node, worker by worker
npm run rollback -- [RELEASE] [--inventory FILE]   deploys the previous release, or RELEASE

  --inventory FILE  default inventory.json beside package.json
  --help            this text`;

const options = { inventory: text() };
const goesBack = process.argv[2] === 'rollback';
const [name, config] = goesBack
  ? ['npm run rollback', { args: process.argv.slice(3), words: ['[RELEASE]'] }]
  : ['npm run deploy', {}];

runCommand(name, { help, options, ...config }, async ({ values, positionals }) => {
  const file = inventoryFile(values.inventory);
  const fleet = { inventory: readInventory(file), transport: overSsh, say: console.log };
  const { ok, reason } = await (goesBack ? rollback(fleet, positionals[0]) : deploy(fleet, root));
  console[ok ? 'log' : 'error'](reason);
  return ok ? 0 : 1;
});
