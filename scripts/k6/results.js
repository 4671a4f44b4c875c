'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../lib/runtime');
const { UsageError } = require('../lib/command-line');
const { page } = require('./page');
const { markdown } = require('./report');

/** @typedef {import('./verdict').Run} Run */

/** @param {string} folder of a run @returns {Run} */
function readRun(folder) {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, 'summary.json'), 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new UsageError(`${folder} has no summary.json of a complete run (${reason}): name a folder of results/k6`);
  }
}

/**
 * Writes the figures for programs, for a terminal and for a browser.
 * @param {Run} run
 * @param {import('./recorder').Recording} recording
 * @param {string} [folder] of all runs
 * @returns {{ folder: string, text: string }}
 */
function writeRun(run, recording, folder = path.join(root, 'results/k6')) {
  const name = `${run.started.slice(0, 19).replaceAll(':', '').replace('T', '-')}-${run.test}`;
  fs.mkdirSync(folder, { recursive: true });
  let own = path.join(folder, name);
  for (let n = 2; fs.existsSync(own); n += 1) own = path.join(folder, `${name}-${n}`); // of the same second
  fs.mkdirSync(own);
  const text = markdown(run);
  fs.writeFileSync(path.join(own, 'summary.json'), `${JSON.stringify(run, null, 2)}\n`);
  fs.writeFileSync(path.join(own, 'summary.md'), text);
  fs.writeFileSync(path.join(own, 'report.html'), page(run, recording, text));
  return { folder: own, text };
}

module.exports = { readRun, writeRun };
