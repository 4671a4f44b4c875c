'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** @param {string} name of a file in queries/, and of the prepared statement */
function statement(name) {
  return { name, text: readFileSync(join(__dirname, 'queries', `${name}.sql`), 'utf8') };
}

exports.product = statement('product');
exports.styles = statement('styles');
exports.related = statement('related');
exports.page = statement('page');
exports.after = statement('after');
exports.pageBlocks = statement('page_blocks');
exports.listen = statement('listen');
exports.serverStatus = statement('server_status');
exports.connectionLimit = statement('connection_limit');
