'use strict';
const path = require('node:path');
const { root } = require('./runtime');
const { fromCaller } = require('./usage');

/**
 * @param {string} [option] value of --inventory, as typed
 * @returns {string} absolute
 */
const inventoryFile = (option) => (option ? fromCaller(option) : path.join(root, 'inventory.json'));

module.exports = { inventoryFile };
