'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { dirname, join, relative, resolve } = require('node:path');

const { trackedFiles } = require('../docs/sources');

const ROOT = resolve(__dirname, '../..');

/** @typedef {{ from: string, to: string, file: string }} Import of one part by another */

/**
 * The table "may import" in a folder's README, and what the files of the folder import.
 * A row is a folder or a file without `.js`; the innermost row owns a file. The row `*` owns the other files at the top, also those
 * that have the name of a folder.
 * A part outside the folder is named by its first folder (`nginx`), a package by its name.
 * @param {string} folder below the root of the repository
 */
function readImports(folder) {
  const base = join(ROOT, folder);
  const rows = readFileSync(join(base, 'README.md'), 'utf8').matchAll(
    /^\| `([a-z0-9/*-]+?)\/?` *\|[^|]*\|([^|]*)\|$/gm,
  );
  const table = new Map(
    [...rows].map(([, part, may]) => [part, [...may.matchAll(/`([^`]+?)\/?`/g)].map(([, name]) => name)]),
  );
  const files = trackedFiles(folder)
    .map((file) => relative(folder, file))
    .filter((name) => name.endsWith('.js'));

  /** @param {string} path @returns {string} */
  const partOf = (path) => {
    const name = relative(base, path).replace(/\.js$/, '');
    if (name.startsWith('..')) return relative(ROOT, path).split('/')[0].replace(/\.js$/, '');
    const isFile = path.endsWith('.js') || existsSync(`${path}.js`);
    const isFolder = (/** @type {string} */ part) => existsSync(join(base, part));
    const owns = (/** @type {string} */ part) =>
      `${name}/`.startsWith(`${part}/`) && !(isFile && part === name && isFolder(part));
    const parts = [...table.keys()].filter(owns);
    return parts.sort((a, b) => b.length - a.length)[0] ?? (name.includes('/') ? name : '*');
  };

  const imports = files.flatMap((name) => {
    const file = join(base, name);
    const required = readFileSync(file, 'utf8').matchAll(/(?:\brequire\(|^(?:import|export|\}).* from )'([^']+)'/gm);
    return [...required]
      .map(([, to]) => ({ from: partOf(file), to: to.startsWith('.') ? partOf(resolve(dirname(file), to)) : to }))
      .filter(({ from, to }) => to !== from && !to.startsWith('node:'))
      .map((edge) => ({ ...edge, file: name }));
  });
  return { files, table, imports, parts: [...new Set(files.map((name) => partOf(join(base, name))))] };
}

/** @param {Map<string, string[]>} table @returns {string[]} a circle of parts that import each other; empty if there is none */
function circleIn(table) {
  /** @param {string} part @param {string[]} way @returns {string[]} */
  const follow = (part, way) => {
    if (way.includes(part)) return [...way.slice(way.indexOf(part)), part];
    return (table.get(part) ?? []).reduce(
      (/** @type {string[]} */ found, next) => (found.length > 0 ? found : follow(next, [...way, part])),
      [],
    );
  };
  for (const part of table.keys()) {
    const circle = follow(part, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

module.exports = { circleIn, readImports };
