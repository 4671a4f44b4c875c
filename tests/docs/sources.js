'use strict';
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '../..');

/** @param {string} file relative to the repository @returns {string} its text; empty if it does not exist */
function read(file) {
  const full = path.join(root, file);
  return fs.existsSync(full) ? fs.readFileSync(full, 'utf8') : '';
}

const ignored = [
  '.git',
  ...read('.gitignore')
    .split('\n')
    .map((line) => line.replace(/\/$/, ''))
    .filter((line) => line && !line.startsWith('#')),
];

/** @param {string} file relative to the repository */
const isIgnored = (file) =>
  ignored.some((pattern) => path.matchesGlob(pattern.includes('/') ? file : path.basename(file), pattern));

/**
 * The files that git tracks or would track. They are read from the tree, because archives and clones that git distrusts have tests too.
 * @param {string} [folder]
 * @returns {string[]} files relative to the repository
 */
function trackedFiles(folder = '') {
  return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (isIgnored(file)) return [];
    return entry.isDirectory() ? trackedFiles(file) : [file];
  });
}

/** @returns {string[]} the documents, as paths */
const documents = () => trackedFiles().filter((file) => file.endsWith('.md'));

/**
 * @param {string} text a document
 * @returns {string[]} the code words in the first cell of every table row
 */
function firstCells(text) {
  const rows = text.match(/^\|.*\|$/gm) ?? [];
  return rows.flatMap((row) => {
    const cell = row.split('|')[1];
    return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  });
}

/** @param {string} text a document @returns {string} its code, blocks and inline; prose uses words such as "load" in other senses */
const codeOf = (text) => (text.match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []).join('\n');

/**
 * @param {string[]} words
 * @param {string[]} files documents
 * @returns {string[]} the words that are in the code of none of them
 */
function undocumented(words, files) {
  const code = files.map((file) => codeOf(read(file))).join('\n');
  return words.filter((word) => {
    const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return !new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`).test(code);
  });
}

module.exports = { documents, firstCells, read, root, trackedFiles, undocumented };
