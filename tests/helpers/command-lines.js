'use strict';
const { fork } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { root } = require('../../scripts/lib/runtime');

/*
 * One process that runs many command lines, one after the other. A process for each would load the same modules again.
 * It captures what a command itself writes, not what programs write that the command starts.
 */

/** Commands of tests/; the others are in scripts/. @type {Record<string, string>} */
const PROVING = {
  'test.js': 'tests/npm-test.js',
  'bench.js': 'tests/lab/bench.js',
  'faults.js': 'tests/lab/faults.js',
  'fleet-test.js': 'tests/lab/fleet-test.js',
};

/** @typedef {{ script: string, words: string[], env: NodeJS.ProcessEnv }} Line */
/** @typedef {{ status: number, stdout: string, stderr: string }} Result */

/** @param {Line} line @returns {Promise<Result>} */
async function run({ script, words, env }) {
  const file = path.join(root, PROVING[script] ?? `scripts/${script}`);
  process.argv = [process.execPath, file, ...words];
  process.env = env;
  const result = { status: -1, stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    const write = (/** @type {string} */ text, /** @type {() => void} */ written) => {
      result[name] += text;
      if (typeof written === 'function') process.nextTick(written);
      return true;
    };
    process[name].write = /** @type {any} */ (write);
  }
  const ended = new Promise((resolve) => {
    process.exit = /** @type {any} */ (resolve);
  });
  delete require.cache[file];
  require(file);
  result.status = await ended;
  for (const name of /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.removeAllListeners(name);
  return result;
}

/**
 * @returns {{ type: (script: string, words: string[], env?: NodeJS.ProcessEnv) => Promise<Result>, close: () => void }}
 *   `type` runs a script of scripts/ as npm does, with `env` besides the test's own variables
 */
function openShell() {
  const child = fork(__filename, { cwd: root });
  return {
    type: async (script, words, env) => {
      child.send({ script, words, env: { ...process.env, ...env } });
      const [result] = await once(child, 'message');
      return result;
    },
    close: () => child.disconnect(),
  };
}

if (require.main === module) {
  process.on('message', async (line) => process.send?.(await run(/** @type {Line} */ (line))));
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) process[name].setMaxListeners(0);
}

exports.openShell = openShell;
