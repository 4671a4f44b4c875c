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
exports.hidden = statement('hidden');
exports.page = statement('page');
exports.after = statement('after');
exports.includedPage = statement('included_page');
exports.countedPage = statement('counted_page');
exports.batch = statement('batch');
exports.skus = statement('skus');
const byField = readFileSync(join(__dirname, 'queries/skus_by_field.sql'), 'utf8');
/** @param {string} field a declared name */
exports.skusByField = (field) => ({ name: `skus_by_${field}`, text: byField.replaceAll('{field}', field) });
exports.exported = {
  card: statement('export_card'),
  product: statement('export_product'),
  full: statement('export_full'),
  id: statement('export_id'),
};
exports.sitemap = statement('sitemap');
exports.searchExists = statement('search_exists');
exports.searchBlobs = { ...statement('search_blobs'), isBinary: true };
exports.tuning = { ...statement('tuning'), isBinary: true };
exports.searchScale = { ...statement('search_scale'), isBinary: true };
exports.searchSets = { ...statement('search_sets'), isBinary: true };
exports.written = statement('written');
exports.searchNames = statement('search_names');
exports.searchGone = statement('search_gone');
exports.cardsById = statement('cards_by_id');
exports.discardPlans = statement('discard_plans');
exports.pageBlocks = statement('page_blocks');
exports.listen = statement('listen');
exports.serverStatus = statement('server_status');
exports.commits = statement('commits');
exports.slots = statement('slots');
exports.connectionLimit = statement('connection_limit');
