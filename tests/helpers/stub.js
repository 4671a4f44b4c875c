'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

/**
 * Writes a stub of a program, for a PATH.
 * @param {string} folder @param {string} name @param {string} script for sh
 * @returns {string} its path
 */
function writeStub(folder, name, script) {
  const place = path.join(folder, name);
  fs.writeFileSync(place, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return place;
}

/** Makes a program of this machine the only one of its name on a PATH. @param {string} folder @param {string} name */
function linkProgram(folder, name) {
  const place = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  fs.symlinkSync(place, path.join(folder, name));
}

module.exports = { linkProgram, writeStub };
