'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { findNpm } = require('../../scripts/lib/runtime');

const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0'];

/**
 * Packages of npm's registry in a folder of their own, as no dependency of ours. The file that calls it removes the folder after its tests.
 * @param {string | ((dir: string) => string)} what a package with its version, or a function that fills the folder and returns the place of a lock
 * @returns {{ missing: string | false, dir: string }} `missing`: why npm could not install it
 */
function useInstalled(what) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'installed-'));
  const remove = () => fs.rmSync(dir, { recursive: true, force: true });
  fs.writeFileSync(path.join(dir, 'package.json'), '{"private":true}'); // else npm installs into a folder above
  const [cwd, words] = typeof what === 'string' ? [dir, ['install', what, '--legacy-peer-deps']] : [what(dir), ['ci']];
  try {
    const all = [findNpm(), ...words, ...OPTIONS, `--cache=${path.join(dir, '.npm')}`];
    execFileSync(process.execPath, all, { cwd, stdio: 'pipe', timeout: 180_000 });
  } catch (error) {
    remove(); // Jest calls no hook of a file whose tests are all skipped
    const why = /^npm error (.*)/m.exec(String(error))?.[1] ?? String(error);
    if (why === 'code EUSAGE') throw error; // a lock that is not that of its package
    return { missing: `npm cannot ${words.join(' ')}: ${why}`, dir };
  }
  afterAll(remove);
  return { missing: false, dir };
}

module.exports = { useInstalled };
