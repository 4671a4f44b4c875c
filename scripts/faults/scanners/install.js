'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { environment } = require('../../lib/environment');
const { runTool } = require('../../lib/run');
const { python, runtimeDir } = require('../../lib/runtime');

const venv = path.join(runtimeDir, 'scanners');
const program = (/** @type {string} */ name) => path.join(venv, 'bin', name);
const lock = (/** @type {string} */ name) => path.join(__dirname, `${name}.lock`);

/** @param {string[]} command */
async function must(command) {
  const { status, output } = await runTool(command, { env: environment('installer'), keepOutput: true });
  if (status !== 0) throw new Error(output.trim().split('\n').at(-1));
}

/** sslyze is released as source only, so what builds it is locked too and comes first. */
async function install() {
  fs.rmSync(venv, { recursive: true, force: true });
  await must([python, '-m', 'venv', venv]);
  const words = ['-m', 'pip', 'install', '--quiet', '--no-input', '--require-hashes'];
  const pip = [program('python'), ...words, '--only-binary=:all:'];
  await must([...pip, '-r', lock('build')]);
  await must([...pip, '--no-binary=sslyze', '--no-build-isolation', '-r', lock('requirements')]);
}

/**
 * Installs the scanners at first use: 100 MB that only two faults need.
 * @param {'pip-audit' | 'sslyze'} name
 * @returns {Promise<string>} the program
 * @throws {Error} when it cannot be installed here
 */
async function scanner(name) {
  const stamp = path.join(venv, '.stamp');
  const wanted = fs.readFileSync(lock('requirements'), 'utf8');
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== wanted) {
    await install();
    if (!fs.existsSync(program(name))) throw new Error(`pip put ${name} elsewhere: see pip config list`);
    fs.writeFileSync(stamp, wanted);
  }
  return program(name);
}

module.exports = { scanner };
