'use strict';
const { changeFleet, inventoryFile, withInventoryLock } = require('./fleet/fleet-command');
const { readInventory } = require('./fleet/inventory');
const { overSsh } = require('./fleet/transport');
const { flag, runCommand, text } = require('./lib/words');
const { afterPromotion, promote } = require('./fleet/node/promote');

const help = `npm run promote -- NAME [--force] [--inventory FILE]

Makes a replica the primary, after the primary was lost or stopped. Workers follow without help. If the connection breaks,
run it again.

  --force           even if the old primary seems to be reachable: two primaries would have two different catalogs
  --inventory FILE  default inventory.json beside package.json
  --help            this text`;

const options = { force: flag, inventory: text() };

runCommand('npm run promote', { help, words: ['NAME'], options }, async ({ values, positionals }) => {
  const file = inventoryFile(values.inventory);
  return withInventoryLock(file, async () => {
    const before = readInventory(file);
    const after = afterPromotion(before, positionals[0]);
    await changeFleet(file, after, () => promote(before, positionals[0], overSsh, { force: values.force }));
    const gone = before.nodes.filter(({ name }) => !after.nodes.some((node) => node.name === name));
    console.log(`${positionals[0]} takes writes: give its address to the loader and to new workers`);
    for (const { name } of gone) console.log(`${name} left the inventory: bring it back as a replica only`);
  });
});
