'use strict';

const { createHash } = require('node:crypto');
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Identifies the code that runs, whatever its folder or version is called: workers of a half-finished deploy differ in it.
 * @param {string} home of the release
 * @returns {string} 12 hexadecimal digits over the names and bytes of server/ and the locked packages
 */
function codeDigest(home) {
  const files = readdirSync(join(home, 'server'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules')) // of the example, installed
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const file of [...files, join(home, 'package-lock.json')].filter(existsSync))
    hash.update(file.slice(home.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}

exports.codeDigest = codeDigest;
