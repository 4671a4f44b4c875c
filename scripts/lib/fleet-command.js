'use strict';
const path = require('node:path');
const { UsageError } = require('./options');
const { root } = require('./runtime');

/**
 * What the commands of a fleet share: which inventory they mean, and how they end.
 * @param {string} [option] value of --inventory, as typed where npm was called
 * @returns {string} absolute
 */
const inventoryFile = (option) =>
  option
    ? path.resolve(process.env.INIT_CWD ?? process.cwd(), option)
    : path.join(root, 'inventory.json');

/** @param {Promise<number>} done a command's exit status */
const exitWith = (done) =>
  done.then(
    (status) => process.exit(status),
    (error) => {
      console.error(
        error instanceof UsageError || !process.env.DEBUG ? error.message : error.stack,
      );
      process.exit(1);
    },
  );

module.exports = { exitWith, inventoryFile };
