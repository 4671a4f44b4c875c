'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** @param {string} name of a file in queries/, which may contain others: {name} @returns {string} */
const read = (name) =>
  readFileSync(join(__dirname, 'queries', `${name}.sql`), 'utf8').replace(/\{(\w+)\}/g, (_, other) => read(other));

/** @param {string} name of a file in queries/, and of the prepared statement */
const statement = (name) => ({ name, text: read(name) });

exports.product = statement('product');
exports.styles = statement('styles');
exports.writtenStyles = statement('written_styles');
exports.related = statement('related');
exports.page = statement('page');
exports.after = statement('after');
exports.includedPage = statement('included_page');
exports.countedPage = statement('counted_page');
exports.batch = statement('batch');
exports.exported = {
  card: statement('export_card'),
  product: statement('export_product'),
  id: statement('export_id'),
};
exports.searchExists = statement('search_exists');
exports.searchBlobs = { ...statement('search_blobs'), isBinary: true };
exports.searchSets = { ...statement('search_sets'), isBinary: true };
exports.written = statement('written');
exports.searchNames = statement('search_names');
exports.cardsById = statement('cards_by_id');
exports.discardPlans = statement('discard_plans');
exports.pageBlocks = statement('page_blocks');
exports.listen = statement('listen');
exports.serverStatus = statement('server_status');
exports.commits = statement('commits');
exports.slots = statement('slots');
exports.connectionLimit = statement('connection_limit');
