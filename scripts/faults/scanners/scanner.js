'use strict';
const path = require('node:path');

const { environment } = require('../../lib/environment');
const { runTool } = require('../../lib/run');
const { python, runtimeDir } = require('../../lib/runtime');

const venv = path.join(runtimeDir, 'scanners');
const program = (/** @type {string} */ name) => path.join(venv, 'bin', name);
const lock = (/** @type {string} */ name) => path.join(__dirname, `${name}.lock`);

/**
 * Installs the scanners at first use: 100 MB that only two faults need. Later pip finds them and downloads nothing.
 * @param {'pip-audit' | 'sslyze'} name
 * @returns {Promise<string>} the program
 * @throws {Error} when it cannot be installed here
 */
async function scanner(name) {
  const pip = [program('python'), ...['-m', 'pip', 'install', '--quiet', '--no-input', '--require-hashes']];
  const commands = [
    [python, '-m', 'venv', venv],
    // sslyze is released as source only, so what builds it is locked too and comes first.
    [...pip, '--only-binary=:all:', '-r', lock('build')],
    [...pip, '--only-binary=:all:', '--no-binary=sslyze', '--no-build-isolation', '-r', lock('requirements')],
  ];
  for (const command of commands) {
    const { status, output } = await runTool(command, { env: environment('installer'), keepOutput: true });
    if (status !== 0) throw new Error(`${name} cannot be installed: ${output.trim().split('\n').at(-1)}`);
  }
  return program(name);
}

module.exports = { scanner };
