'use strict';

const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const { servesFiles } = require('../replies/files');

const SERVER = join(__dirname, '../..');
/** Files of these folders that no page loads. */
const NOT_SERVED = ['write-schemas.js'];

/** Paths as the folders are: a module of one folder finds those of the other where they are on the disk. @param {string} folder */
const filesOf = (folder) =>
  readdirSync(join(SERVER, folder))
    .filter((name) => /\.(js|css)$/.test(name) && !NOT_SERVED.includes(name))
    .map((name) => [`/${folder}/${name}`, { file: join(SERVER, folder, name) }]);

/** GET / and what it loads: the explorer, and the client that it is built on. All links are relative. */
const explorer = servesFiles('explorer', () => ({
  '/': { file: join(SERVER, 'browser/shop/index.html') },
  ...Object.fromEntries(['browser/shop', 'browser/shared', 'client'].flatMap(filesOf)),
}));

exports.explorer = explorer;
