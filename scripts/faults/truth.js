'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { withClient } = require('../lib/roles');

const sql = fs.readFileSync(path.join(__dirname, 'truth.sql'), 'utf8');

/**
 * @param {string} dsn
 * @returns {Promise<Record<string, string>>} path → SHA-256 of the body that belongs there, in the order of ids
 */
const readTruth = (dsn) =>
  withClient(dsn, async (client) => {
    const { rows } = await client.query(sql);
    return Object.fromEntries(
      rows.flatMap((row) => [
        [row.product_path, row.product],
        [`${row.product_path}/styles`, row.styles],
        [`${row.product_path}/related`, row.related],
      ]),
    );
  });

module.exports = { readTruth };
