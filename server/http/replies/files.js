'use strict';

const { readFileSync } = require('node:fs');

const { Entry } = require('../../cache/entry');
const { unknownPath } = require('./methods');

/** The media types of the pages and of what they load. JSON has that of all replies. */
const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: '',
};

/**
 * @typedef {object} ServedFile
 * @property {string} file absolute
 * @property {(text: string) => string} [change] of the text, before it is served
 */

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
  /** @type {Map<string, Entry>} */
  const read = new Map();

  /** @param {string} requested @returns {Entry | null} null for a path that is not served */
  function entryOf(requested) {
    files ??= list();
    const path = Object.hasOwn(files, requested) ? requested : requested.replace(/(?<=[^/])\/$/, '');
    if (!Object.hasOwn(files, path)) return null;
    let entry = read.get(path);
    if (!entry) {
      const { file, change } = files[path];
      const bytes = readFileSync(file);
      entry = new Entry(path, change ? Buffer.from(change(`${bytes}`)) : bytes, { type: typeOf(file) });
      read.set(path, entry);
    }
    return entry;
  }

  return ({ reply }) => {
    const send = reply(route);
    return (req, res, next) => {
      const entry = entryOf(req.path);
      return entry ? send(req, res, entry) : unknownPath(req, res, next);
    };
  };
}

exports.servesFiles = servesFiles;
exports.typeOf = typeOf;
