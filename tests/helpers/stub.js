'use strict';
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

module.exports = { writeStub };
