'use strict';
const { deploy, rollback } = require('./fleet/deploy/deploy');
const { inventoryFile } = require('./fleet/fleet-command');
const { readInventory } = require('./fleet/inventory');
const { root } = require('./lib/runtime');
const { overSsh } = require('./fleet/transport');
const { exitWith } = require('./lib/command-line');
const { parseWords } = require('./lib/words');

const help = `npm run deploy -- [--inventory FILE]               deploys this clone on every node, worker by worker
npm run rollback -- [RELEASE] [--inventory FILE]   deploys the previous release, or RELEASE

  --inventory FILE  default inventory.json beside package.json
  --help            this text`;

/** @param {string[]} words @returns {Promise<number>} exit status */
async function main(words) {
  const goesBack = words[0] === 'rollback';
  const { values, positionals } = parseWords(goesBack ? 'npm run rollback' : 'npm run deploy', {
    args: goesBack ? words.slice(1) : words,
    words: goesBack ? ['[RELEASE]'] : [],
    options: { inventory: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const file = inventoryFile(values.inventory);
  const fleet = { inventory: readInventory(file), transport: overSsh, say: console.log };
  const { ok, reason } = await (goesBack ? rollback(fleet, positionals[0]) : deploy(fleet, root));
  console[ok ? 'log' : 'error'](reason);
  return ok ? 0 : 1;
}

exitWith(main(process.argv.slice(2)));
