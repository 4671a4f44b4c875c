'use strict';
const path = require('node:path');
const { takeLock } = require('./lock');
const { root } = require('./runtime');
const { fromCaller, UsageError } = require('./usage');

/**
 * @param {string} [option] value of --inventory, as typed
 * @returns {string} absolute
 */
const inventoryFile = (option) => (option ? fromCaller(option) : path.join(root, 'inventory.json'));

/**
 * Two changes at once would start from one list, and the later one would take the other back.
 * @template T
 * @param {string} file of the inventory @param {() => Promise<T>} work that reads it and writes it
 * @returns {Promise<T>}
 * @throws {UsageError} while another command changes it
 */
async function changeAlone(file, work) {
  const lock = await takeLock(`inventory ${file}`);
  if (!lock) throw new UsageError(`another command changes ${file}: type this again when that has ended`);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

module.exports = { changeAlone, inventoryFile };
