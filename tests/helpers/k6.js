'use strict';
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../../scripts/lib/runtime');

/** Go compiles k6 and its packages on two cores, while other tests run. */
const buildTimeoutMs = 300_000;

const program = `const halt = new AbortController();
process.on('SIGTERM', () => halt.abort());
require('./scripts/k6/find-k6').findK6(console.error, halt.signal).then(
  ({ k6 }) => console.log(k6), (error) => { console.error(error.message); process.exit(1); })`;

/**
 * k6 for the tests, built by Go if it is missing. It is called while Jest collects the tests, so that these are skipped with
 * the reason if there is no k6, Go or network.
 * @returns {{ k6: string } | { reason: string }}
 */
function provideK6() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
    cwd: root,
    encoding: 'utf8',
    timeout: buildTimeoutMs,
  });
  if (status === 0) return { k6: stdout.trim() };
  return { reason: stderr.trim().split('\n').at(-1) || 'building k6 took too long' };
}

/**
 * `npm run k6` without npm.
 * @param {string[]} words @param {NodeJS.ProcessEnv} env @param {(text: string) => void} [onOutput] called with each output
 * @returns {Promise<{ status: number | null, output: string, folder: string }>} `folder` that it wrote; empty if none
 */
function runK6(words, env, onOutput = () => {}) {
  const child = spawn(process.execPath, [path.join(root, 'scripts/k6.js'), ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output += data;
      onOutput(String(data));
    });
  return new Promise((resolve) =>
    child.on('close', (status) => {
      const [, relative] = /^(\S+)\/summary\.md$/m.exec(output) ?? [];
      resolve({ status, output, folder: relative ? path.resolve(root, relative) : '' });
    }),
  );
}

/** @typedef {import('../../scripts/k6/run').Run & { rows: import('../../scripts/k6/run').Figures[], reasons: string[], ok: boolean }} Facts */
/** @param {string} folder @returns {Facts} and removes the folder */
function takeRun(folder) {
  const run = JSON.parse(fs.readFileSync(path.join(folder, 'summary.json'), 'utf8'));
  fs.rmSync(folder, { recursive: true });
  return run;
}

module.exports = { provideK6, runK6, takeRun };
