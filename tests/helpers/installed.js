'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { findNpm } = require('../../scripts/lib/runtime');

/**
 * A package of npm's registry in a folder of its own, as no dependency of ours. The file that calls it removes the folder after its tests.
 * @param {string} name with its version
 * @returns {{ missing: string | false, dir: string }} `missing`: why npm could not install it
 */
function useInstalled(name) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'installed-'));
  const remove = () => fs.rmSync(dir, { recursive: true, force: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', '--fetch-retries=0'];
  fs.writeFileSync(path.join(dir, 'package.json'), '{"private":true}'); // else npm installs into a folder above
  try {
    const words = [findNpm(), 'install', name, ...options, `--cache=${path.join(dir, '.npm')}`];
    execFileSync(process.execPath, words, { cwd: dir, stdio: 'pipe', timeout: 180_000 });
  } catch (error) {
    remove(); // Jest calls no hook of a file whose tests are all skipped
    const why = /^npm error (.*)/m.exec(String(error))?.[1] ?? String(error);
    return { missing: `npm cannot install ${name}: ${why}`, dir };
  }
  afterAll(remove);
  return { missing: false, dir };
}

module.exports = { useInstalled };
