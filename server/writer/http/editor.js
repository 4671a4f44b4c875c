'use strict';

const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const { PROBLEMS, Problem } = require('../../errors');
const { typeOf } = require('../../http/files');
const { pagePolicy } = require('../../http/page-policies');

const SERVER = join(__dirname, '../..');
const EDITOR = 'writer/editor';
/** Of the explorer, which has more than an editor needs. */
const SHARED = ['/explorer/base.css', '/explorer/dom.js'];
/** Photos are on any host. No form may lead anywhere: a key that is typed in must not get into an address. */
const POLICY = pagePolicy('data: https: http:', "'none'");

/** Paths as the folders are, so that a module finds one of another folder where it is on the disk. */
const paths = () => [
  ...readdirSync(join(SERVER, EDITOR))
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => `/${EDITOR}/${name}`),
  ...SHARED,
];

/** @type {Map<string, import('./write-reply').Answer> | undefined} read at the first use: most writers never show a page */
let files;

function readFiles() {
  const answerOf = (/** @type {string} */ path) => ({
    ...{ status: 200, body: readFileSync(join(SERVER, path), 'utf8'), type: typeOf(path), policy: POLICY },
  });
  return new Map([
    ['/', answerOf(`${EDITOR}/index.html`)],
    ...paths().map((path) => /** @type {const} */ ([path, answerOf(path)])),
  ]);
}

/** GET / and what it loads: the editing view. It needs no key, for a browser sends none with a page. @type {import('./products').Handler} */
const editor = async (req) => {
  files ??= readFiles();
  const file = files.get(req.path);
  if (!file) throw new Problem(PROBLEMS.unknownPath, `The editing view has no file ${req.path}.`);
  return file;
};

exports.editor = editor;
