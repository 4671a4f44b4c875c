'use strict';

const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const { writesPaused } = require('../errors');
const statements = require('./statements');

/** The migrations of this release. */
const WANTED = readdirSync(join(__dirname, '../../../db/migrations')).filter((name) => name.endsWith('.sql'));
/**
 * The database lacks what a statement names (a column, a function, a table, a schema) or the right to it. A migration that is missing would
 * have made it, or else a load.
 */
const LACKING = /^(42703|42883|42P01|3F000|42501)$/;

/** @param {unknown} error from pg */
const isLacking = (error) => LACKING.test(/** @type {{ code?: string }} */ (error).code ?? '');

/** @param {import('pg').Client} client @returns {Promise<string[]>} migrations that its database lacks: all, if it cannot say which it has */
async function missingIn(client) {
  try {
    const names = (await client.query(statements.migrations.text)).rows.map(({ name }) => name);
    return WANTED.filter((name) => !names.includes(name)).sort();
  } catch (error) {
    if (isLacking(error)) return WANTED;
    throw error;
  }
}

/** @param {string[]} missing @param {unknown} [cause] */
const outdated = (missing, cause) =>
  writesPaused(
    `The database is of an earlier release, and lacks ${missing.length === 1 ? missing[0] : `${missing.length} migrations`}. Run prepare: npm run etl -- prepare; on a node, catalog-etl prepare.`,
    cause,
  );

exports.isLacking = isLacking;
exports.missingIn = missingIn;
exports.outdated = outdated;
