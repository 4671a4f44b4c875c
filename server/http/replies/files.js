'use strict';

const { readFileSync } = require('node:fs');

const { Entry } = require('../../cache/entry');
const { unknownPath } = require('./methods');

/** The media types of the pages and of what they load. JSON has that of all replies. */
const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  json: '',
};

/**
 * @typedef {object} ServedFile
 * @property {string} file absolute
 * @property {(text: string, declaration: Declaration | null) => string} [change] of the text, before it is served
 * @property {keyof typeof TYPES} [type] of the changed text, if it is another
 * @property {boolean} [hasFields] whether the text changes with what the served load declares
 */
/** @typedef {import('../../catalog/declarations').Declaration} Declaration */

/** @param {string} file */
const typeOf = (file) => TYPES[/** @type {keyof typeof TYPES} */ (file.slice(file.lastIndexOf('.') + 1))];

/**
 * Serves files by path, with or without a trailing slash. A file is read at its first use and then kept: most workers never show a page.
 * @param {string} route its name in metrics
 * @param {() => Record<string, ServedFile>} list by path
 * @returns {(parts: import('../../routes').Parts) => import('express').RequestHandler}
 */
function servesFiles(route, list) {
  /** @type {Record<string, ServedFile> | undefined} */
  let files;
  /** @type {Map<string, { entry: Entry, declaration: Declaration | null }>} */
  const read = new Map();

  /** @param {string} requested @param {Declaration | null} served @returns {Entry | null} null for a path that is not served */
  function entryOf(requested, served) {
    files ??= list();
    const path = Object.hasOwn(files, requested) ? requested : requested.replace(/(?<=[^/])\/$/, '');
    if (!Object.hasOwn(files, path)) return null;
    const { file, change, type, hasFields } = files[path];
    const declaration = hasFields ? served : null;
    const known = read.get(path);
    if (known?.declaration === declaration) return known.entry;
    const bytes = readFileSync(file);
    const text = change && Buffer.from(change(`${bytes}`, declaration));
    const entry = new Entry(path, text ?? bytes, { type: type ? TYPES[type] : typeOf(file) });
    read.set(path, { entry, declaration });
    return entry;
  }

  return ({ catalog, reply }) => {
    const send = reply(route);
    return (req, res, next) => {
      const entry = entryOf(req.path, catalog.declaration);
      return entry ? send(req, res, entry) : unknownPath(req, res, next);
    };
  };
}

exports.servesFiles = servesFiles;
exports.typeOf = typeOf;
