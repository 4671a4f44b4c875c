'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

// Not the package itself, which would load the whole user interface into the worker.
// @ts-expect-error the package has no types
const absolutePath = require('swagger-ui-dist/absolute-path');

const { Entry } = require('../cache/entry');

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

const swaggerUi = (/** @type {string} */ name) => join(absolutePath(), name);
const here = (/** @type {string} */ path) => join(__dirname, path);

/** What /openapi.json and /docs are made of: path → file and type. All of it is local. */
const FILES = {
  '/openapi.json': { file: here('../openapi.json'), type: JSON_TYPE },
  '/docs': { file: here('docs/index.html'), type: HTML },
  '/docs/init.js': { file: here('docs/init.js'), type: SCRIPT },
  '/docs/swagger-ui.css': { file: swaggerUi('swagger-ui.css'), type: STYLE },
  '/docs/swagger-ui-bundle.js': { file: swaggerUi('swagger-ui-bundle.js'), type: SCRIPT },
};

/** @type {Map<string, Entry>} */
const read = new Map();

/**
 * A file as an entry, read at its first use and then kept: most workers never show the page.
 * @param {string} path
 * @returns {Entry | null} null for a path that is not served
 */
function docsFile(path) {
  if (!Object.hasOwn(FILES, path)) return null;
  const { file, type } = FILES[/** @type {keyof typeof FILES} */ (path)];
  const entry = read.get(path) ?? new Entry(path, readFileSync(file), { type });
  read.set(path, entry);
  return entry;
}

exports.docsFile = docsFile;
