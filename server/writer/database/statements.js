'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const DB = join(__dirname, '../../../db');
const SERVED = 'catalog';

/** @param {string} path below db/ */
const read = (path) => readFileSync(join(DB, path), 'utf8');

/** @typedef {{ name: string, text: string }} Statement */

/** @param {string} text @param {Record<string, string>} parts for the names in braces */
const filled = (text, parts) => text.replace(/\{(\w+)\}/g, (_, name) => parts[name]);

/** @param {string} name of a file in db/writes, and of the prepared statement @param {Record<string, string>} [parts] @returns {Statement} */
const ofWrites = (name, parts) => ({ name, text: filled(read(`writes/${name}.sql`), { schema: SERVED, ...parts }) });

/** @type {Record<string, string>} */
const FILLED_IN = { schema: SERVED, wanted: '= ANY ($1::int[])' };

/** A file of db/documents with the others that it names. @param {string} name @returns {string} */
const document = (name) =>
  read(`documents/${name}.sql`).replace(/\{(\w+)\}/g, (_, part) => FILLED_IN[part] ?? document(part));

/** Parameters of remove_rows.sql. */
const REMOVED = {
  products: '$1::int[]',
  features: '$2::int[]',
  related: '$3::int[]',
  photos: '$4::int[]',
  styles: 'unnest($5::int[], $6::int[])',
  skus: 'unnest($7::int[], $8::int[])',
};
/** The parameter of put_rows.sql is an object with a list of rows for each table. */
const KEPT = Object.fromEntries(
  Object.keys(REMOVED).map((table) => [table, `jsonb_to_recordset($1::jsonb -> '${table}')`]),
);

exports.migrations = ofWrites('migrations');
exports.swapLock = ofWrites('swap_lock');
exports.served = ofWrites('served');
exports.lockProducts = ofWrites('lock_products');
exports.lockDeleted = ofWrites('lock_deleted');
exports.lockRelated = ofWrites('lock_related');
exports.referring = ofWrites('referring');
exports.readProducts = ofWrites('read_products');
exports.lastRevisions = ofWrites('last_revisions');
exports.requests = ofWrites('requests');
exports.removed = ofWrites('removed');
exports.taken = ofWrites('taken');
exports.hasIndexes = ofWrites('has_indexes');
exports.newIds = ofWrites('new_ids');
exports.removeRows = ofWrites('remove_rows', REMOVED);
exports.putRows = ofWrites('put_rows', KEPT);
exports.rebuild = { name: 'rebuild', text: document('rebuild') };
exports.commit = ofWrites('commit');
exports.visibility = ofWrites('visibility');
exports.setVisibility = ofWrites('set_visibility');
exports.due = ofWrites('due');
exports.unwritten = ofWrites('unwritten');
exports.shown = ofWrites('shown');
exports.forgetRequests = ofWrites('forget_requests');
exports.notify = ofWrites('notify');
exports.apiKeys = ofWrites('api_keys');
exports.revisions = ofWrites('revisions');
exports.revision = ofWrites('revision');
exports.stockAppend = ofWrites('stock_append');
exports.stockOffsets = ofWrites('stock_offsets');
exports.stockLock = ofWrites('stock_lock');
exports.stockApply = ofWrites('stock_apply');
exports.stockCommit = ofWrites('stock_commit');
exports.stockRejects = ofWrites('stock_rejects');
exports.stockRequest = ofWrites('stock_request');
exports.stockBacklog = ofWrites('stock_backlog');
exports.stockStale = ofWrites('stock_stale');
exports.stockBuild = ofWrites('stock_build');
exports.logHead = ofWrites('log_head');
/** Without a name it is planned each time: a plan that was made when the log was short would scan it. @param {string} name @returns {Statement} */
const ofFeed = (name) => ({ ...ofWrites(name), name: '' });
exports.changes = ofFeed('changes');
exports.changeRevisions = ofFeed('change_revisions');
exports.hookLeader = ofWrites('hook_leader');
exports.hooks = ofWrites('hooks');
exports.hookSecrets = ofWrites('hook_secrets');
exports.hookBegin = ofWrites('hook_begin');
exports.hookReceived = ofWrites('hook_received');
exports.hookFailed = ofWrites('hook_failed');
exports.hookExpired = ofWrites('hook_expired');
exports.hookTested = ofWrites('hook_tested');
exports.forget = ofWrites('forget');
exports.tagged = ofWrites('tagged');
exports.productStock = ofWrites('product_stock');
