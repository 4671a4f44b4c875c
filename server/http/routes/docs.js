'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

// Not the package itself, which would load the whole user interface into the worker.
// @ts-expect-error the package has no types
const absolutePath = require('swagger-ui-dist/absolute-path');

const { Entry } = require('../../cache/entry');
const { unknownPath } = require('../methods');

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const swaggerUi = (/** @type {string} */ name) => join(absolutePath(), name);
const page = (/** @type {string} */ name) => join(__dirname, '../docs', name);

/**
 * The files of /openapi.json and /docs, by path. All of them are local.
 * @type {Record<string, { file: string, type?: string, below?: boolean }>}
 */
const FILES = {
  '/openapi.json': { file: join(__dirname, '../../openapi.json') },
  '/docs': { file: page('index.html'), type: HTML },
  '/docs/': { file: page('index.html'), type: HTML, below: true }, // what it loads is beside it then
  '/docs/init.js': { file: page('init.js'), type: SCRIPT },
  '/docs/swagger-ui.css': { file: swaggerUi('swagger-ui.css'), type: STYLE },
  '/docs/swagger-ui-bundle.js': { file: swaggerUi('swagger-ui-bundle.js'), type: SCRIPT },
};

/** @type {Map<string, Entry>} */
const read = new Map();

/**
 * A file as an entry, read at its first use and then kept: most workers never show the page. The links of the page are relative, so it
 * works behind a path prefix; a trailing slash changes what they are relative to.
 * @param {string} requested path, with or without a trailing slash
 * @returns {Entry | null} null for a path that is not served
 */
function docsFile(requested) {
  const path = Object.hasOwn(FILES, requested) ? requested : requested.replace(/\/$/, '');
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

/**
 * GET /openapi.json, /docs and what the page loads
 * @param {import('../../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function docs({ reply }) {
  const send = reply('docs');
  return (req, res, next) => {
    const entry = docsFile(req.path);
    return entry ? send(req, res, entry) : unknownPath(req, res, next);
  };
}

exports.docs = docs;
