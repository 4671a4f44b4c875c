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

/**
 * What /openapi.json and /docs are made of: path → file and type. All of it is local.
 * @type {Record<string, { file: string, type: string, below?: boolean }>}
 */
const FILES = {
  '/openapi.json': { file: here('../openapi.json'), type: JSON_TYPE },
  '/docs': { file: here('docs/index.html'), type: HTML },
  '/docs/': { file: here('docs/index.html'), type: HTML, below: true }, // what it loads lies beside it then
  '/docs/init.js': { file: here('docs/init.js'), type: SCRIPT },
  '/docs/swagger-ui.css': { file: swaggerUi('swagger-ui.css'), type: STYLE },
  '/docs/swagger-ui-bundle.js': { file: swaggerUi('swagger-ui-bundle.js'), type: SCRIPT },
};

/** @type {Map<string, Entry>} */
const read = new Map();

/**
 * A file as an entry, read at its first use and then kept: most workers never show the page. The links of the page are relative, so it
 * works behind a path prefix; a trailing slash moves what they are relative to.
 * @param {string} asked path, with or without a trailing slash
 * @returns {Entry | null} null for a path that is not served
 */
function docsFile(asked) {
  const path = Object.hasOwn(FILES, asked) ? asked : asked.replace(/\/$/, '');
  if (!Object.hasOwn(FILES, path)) return null;
  const { file, type, below } = FILES[path];
  let entry = read.get(path);
  if (!entry) {
    const bytes = readFileSync(file);
    entry = new Entry(path, below ? Buffer.from(`${bytes}`.replaceAll('"docs/', '"')) : bytes, { type });
    read.set(path, entry);
  }
  return entry;
}

exports.docsFile = docsFile;
