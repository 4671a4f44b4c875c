'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { root } = require('../../scripts/lib/runtime');

/** An installation reads these. */
const parts = [
  'scripts',
  'server/core/nearest.js',
  'etl/requirements.lock',
  'tests/requirements.lock',
  'package.json',
  'package-lock.json',
  '.npmrc',
];

/** @param {string} prefix of its name @returns {string} a clone in which nothing is installed */
function makeClone(prefix) {
  const clone = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
  for (const part of parts) fs.cpSync(path.join(root, part), path.join(clone, part), { recursive: true });
  return clone;
}

/** Removes what a test or an installation added. @param {string} clone */
function emptyClone(clone) {
  const own = new Set(parts.map((part) => part.split('/')[0]));
  for (const name of fs.readdirSync(clone).filter((each) => !own.has(each)))
    fs.rmSync(path.join(clone, name), { recursive: true });
}

module.exports = { emptyClone, makeClone };
