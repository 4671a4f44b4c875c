'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { draftInventory } = require('./inventory');
const { takeLock } = require('../lib/lock');
const { root } = require('../lib/runtime');
const { fromCaller, UsageError } = require('../lib/command-line');

/**
 * @param {string} [option] value of --inventory, as typed
 * @returns {string} absolute
 */
const inventoryFile = (option) => (option ? fromCaller(option) : path.join(root, 'inventory.json'));

/**
 * Allows one change at a time: two would start from the same list, and the later one would undo the other.
 * @template T
 * @param {string} file of the inventory @param {() => Promise<T>} work that reads it and writes it
 * @returns {Promise<T>}
 * @throws {UsageError} while another command changes it
 */
async function withInventoryLock(file, work) {
  const lock = await takeLock(`inventory ${file}`);
  if (!lock) throw new UsageError(`another command changes ${file}: run this again when it has ended`);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

/**
 * Writes a draft of the inventory before the fleet is changed and renames it afterwards: a full disk or a closed folder must
 * not leave a fleet that differs from its inventory.
 * @template T
 * @param {string} file @param {import('./inventory').Inventory} next @param {() => Promise<T>} change of the fleet
 * @returns {Promise<T>}
 */
async function changeFleet(file, next, change) {
  const draft = withContext('nothing was changed, because the inventory cannot be written', () =>
    draftInventory(file, next),
  );
  const result = await change().catch((error) => {
    fs.rmSync(draft);
    throw error;
  });
  withContext('the fleet was changed, but its inventory was not', () => fs.renameSync(draft, file));
  return result;
}

/** @template T @param {string} what the meaning of an error @param {() => T} write @returns {T} */
function withContext(what, write) {
  try {
    return write();
  } catch (error) {
    throw new Error(`${what}: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
}

module.exports = { changeFleet, inventoryFile, withInventoryLock };
