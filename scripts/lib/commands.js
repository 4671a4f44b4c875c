'use strict';
const path = require('node:path');
const { environment } = require('./environment');
const { python, root } = require('./runtime');
const { callerFolder } = require('./command-line');
const { shellLine } = require('./words');

/*
 * Commands as arrays of words, without a shell. run.js runs them.
 */

const generator = path.join(root, 'scripts/generate.js');

/** @param {string[]} words a command and its options */
const runLoader = (...words) => [python, '-m', 'etl', ...words];

/**
 * How the loader runs with typed words. Paths are relative to the caller's folder, but no code is loaded from there
 * (scripts/fleet/roles/db/files/catalog-etl does the same). Its last line names the command to type next.
 * @param {string | undefined} loaderDsn @param {string} command that was typed: `npm run load`
 * @param {string[]} [words] that followed it
 */
const fromCallersFolder = (loaderDsn, command, words = process.argv.slice(2)) => ({
  cwd: callerFolder(),
  env: environment('loader', {
    LOADER_DATABASE_URL: loaderDsn,
    CATALOG_COMMAND: [command, ...(words.length > 0 ? ['--', shellLine(words)] : [])].join(' '),
  }),
});

/** Migrates the schema that loads keep. */
const prepareCatalog = () => runLoader('prepare');

/** @param {string} dir of the six CSVs @param {string} rejects where the rejected rows are written */
const loadCatalog = (dir, rejects) => runLoader('load', dir, '--rejects', rejects);

/** @param {string} out @param {number} products */
const generateSample = (out, products) => [process.execPath, generator, out, '--products', String(products)];

module.exports = { fromCallersFolder, generateSample, loadCatalog, prepareCatalog, runLoader };
