'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { runtimeDir } = require('../../scripts/lib/runtime');

const downloadTimeoutMs = 120_000;

/**
 * Finds programs that are neither in npm nor in a wheel: on PATH, from an earlier run, or in Debian's packages.
 * @param {string[]} packages with the program's own first
 * @param {string[]} programs of them
 * @param {string} [suite] of Debian, such as trixie, where the machine's own may be too old
 * @returns {Record<string, string> | null} where each program is; null: not Debian, no network, or an outdated list of packages
 */
function findPrograms(packages, programs, suite = '') {
  const kept = path.join(runtimeDir, 'debian', suite ? `${packages[0]}-${suite}` : packages[0]);
  const folders = suite ? [] : [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin'];
  const unpacked = ['usr/bin', 'usr/sbin'].map((folder) => path.join(kept, folder));
  const found = () => {
    const files = programs.map((name) =>
      [...folders, ...unpacked].map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file)),
    );
    return files.every(Boolean) ? Object.fromEntries(programs.map((name, at) => [name, String(files[at])])) : null;
  };
  if (found()) return found();
  try {
    execFileSync(path.join(__dirname, 'debian.sh'), [kept, ...packages], {
      env: { ...process.env, SUITE: suite },
      stdio: 'ignore',
      timeout: downloadTimeoutMs,
    });
  } catch {
    return null;
  }
  return found();
}

/** The folders of libraries of unpacked packages. @param {string} program one that `findPrograms` found */
const librariesOf = (program) => {
  const folder = path.join(path.dirname(program), '../lib');
  const triplets = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.includes('-linux-gnu')) : [];
  return triplets.map((name) => path.join(folder, name)).join(path.delimiter);
};

module.exports = { findPrograms, librariesOf };
