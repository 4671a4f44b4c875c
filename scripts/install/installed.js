'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../lib/environment');
const { python, root } = require('../lib/runtime');

/* Whether what an installation stands for is there; only then it gets its stamp. */

/** @param {string} program @param {string[]} words @returns {{ ok: boolean, output: string }} */
function quietly(program, words) {
  const options = { cwd: root, encoding: /** @type {const} */ ('utf8'), env: environment('tool') };
  const { status, stdout, stderr, error } = spawnSync(program, words, options);
  return { ok: status === 0, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim() };
}

/** Each line holds a name and its version; those with a condition are not for every machine. @param {string} lock a file */
const pinnedIn = (lock) => [...fs.readFileSync(lock, 'utf8').matchAll(/^(\S+==\S+) \\$/gm)].map(([, pin]) => pin);

const findMissing = `import importlib.metadata as metadata, sys
def version(name):
    try: return metadata.version(name)
    except metadata.PackageNotFoundError: return None
print(*[pin for pin in sys.argv[1:] if version(pin.split("==")[0]) != pin.split("==")[1]])`;

/** The parts of the loader that are compiled, which another Python or a disk without exec refuses. */
const importCompiled = 'import psycopg, pyroaring';

/** @param {string[]} locks files @returns {string} what is wrong with the virtual environment; empty: nothing */
function faultOfVenv(locks) {
  const { ok, output } = quietly(python, ['-c', findMissing, ...locks.flatMap(pinnedIn)]);
  if (!ok) return output;
  if (output)
    return `pip put ${output.split(' ')[0]} elsewhere: look for target, prefix, root or user in \`pip config list\``;
  const use = quietly(python, ['-c', importCompiled]);
  return use.ok ? '' : use.output;
}

/** @returns {string} what is wrong with node_modules; empty: nothing */
function faultOfModules() {
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  // npm is silent about an optional package that it could not install: those that we name ourselves are wanted.
  const wanted = Object.keys(packages[''].optionalDependencies ?? {}).map((name) => `node_modules/${name}`);
  const isNeeded = (/** @type {string} */ place) => !packages[place].optional || wanted.includes(place);
  const missing = Object.keys(packages).find(
    (place) => place && isNeeded(place) && !fs.existsSync(path.join(root, place, 'package.json')),
  );
  return missing ? `npm left ${missing} out: look for omit, dry-run or global in \`npm config list\`` : '';
}

module.exports = { faultOfModules, faultOfVenv, quietly };
