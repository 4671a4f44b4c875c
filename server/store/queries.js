'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** @param {string} name of a file in queries/, and of the prepared statement */
function statement(name) {
  return { name, text: readFileSync(join(__dirname, 'queries', `${name}.sql`), 'utf8') };
}

module.exports = {
  product: statement('product'),
  styles: statement('styles'),
  related: statement('related'),
  page: statement('page'),
  after: statement('after'),
  pageBlocks: statement('page_blocks'),
  dataVersion: statement('data_version'),
  listen: statement('listen'),
  serverStatus: statement('server_status'),
  connectionLimit: statement('connection_limit'),
};
