'use strict';

const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const { PROBLEMS, Problem } = require('../../core/errors');
const { typeOf } = require('../../http/replies/files');
const { onlyMethods } = require('../../http/replies/methods');
const { pagePolicy } = require('../../http/replies/page-policies');
const { COMMON_HEADERS } = require('./write-reply');

const SERVER = join(__dirname, '../..');
const FOLDERS = ['browser/editor', 'browser/shared'];
/** Photos are on any host. No form may lead anywhere: a key that is typed in must not get into an address. */
const POLICY = pagePolicy('data: https: http:', "'none'");

/** Paths as the folders are, so that a module finds one of another folder where it is on the disk. */
const paths = () =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(SERVER, folder))
      .filter((name) => /\.(js|css)$/.test(name))
      .map((name) => `/${folder}/${name}`),
  );

/** @param {string} path */
function readReply(path) {
  const body = readFileSync(join(SERVER, path));
  const headers = [
    'Content-Type',
    typeOf(path),
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'no-store',
    'Content-Security-Policy',
    POLICY,
    ...COMMON_HEADERS,
  ];
  return { headers, body };
}

/** @type {Map<string, ReturnType<typeof readReply>> | undefined} by path; read at the first use, for most writers never show a page */
let replies;

const readReplies = () =>
  new Map([
    ['/', readReply('browser/editor/index.html')],
    ...paths().map((path) => /** @type {const} */ ([path, readReply(path)])),
  ]);

/** @param {import('express').Request} req @param {import('express').Response} res @returns {void} */
function sendFile(req, res) {
  replies ??= readReplies();
  const reply = replies.get(req.path);
  if (!reply) throw new Problem(PROBLEMS.unknownPath, `The editing view has no file ${req.path}.`);
  res.writeHead(200, reply.headers).end(reply.body);
}

/** The editing view at / and what it loads. They need no key: a browser sends none with a page. @param {import('express').Express} app */
function mountEditor(app) {
  for (const path of ['/', ...FOLDERS.map((folder) => `/${folder}/:asset`)])
    app.route(path).get(sendFile).all(onlyMethods('GET, HEAD'));
}

exports.mountEditor = mountEditor;
