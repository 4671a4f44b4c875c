'use strict';
const path = require('node:path');

/** The repository, whatever folder it was cloned into. */
module.exports = { root: path.resolve(__dirname, '../..') };
