'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../lib/runtime');
const { UsageError } = require('../lib/command-line');
const { markdown } = require('./markdown');
const { page } = require('./page');
const { partnersOf } = require('./partners');

/** @typedef {import('./model').Run} Run */

const results = path.join(root, 'results/k6');

/** @param {string} folder of a run @returns {Run} */
function readRun(folder) {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, 'summary.json'), 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new UsageError(`${folder} holds no summary.json of a whole run (${reason}): name a folder of results/k6`);
  }
}

/** One that a kill or a full disk cut short must not lose the run that was just measured. @param {string} folder */
function readable(folder) {
  try {
    return readRun(folder);
  } catch {
    return undefined;
  }
}

/**
 * @param {Run} run @param {string} folder
 * @returns {Run | undefined} the last one of this test that measured something under the same terms
 */
function previousRun(run, folder) {
  if (!fs.existsSync(folder)) return undefined;
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(`-${run.test}`));
  for (const name of names.sort().reverse()) {
    const candidate = readable(path.join(folder, name));
    if (candidate && partnersOf(run, candidate).size > 0) return candidate;
  }
  return undefined;
}

/**
 * Writes what a run leaves: figures for programs, for a terminal and for a browser.
 * @param {Run} run
 * @param {import('./charts').Recording} recording
 * @param {string} [folder] of all runs
 * @returns {{ folder: string, text: string }}
 */
function writeRun(run, recording, folder = results) {
  const previous = previousRun(run, folder);
  const name = `${run.started.slice(0, 19).replaceAll(':', '').replace('T', '-')}-${run.test}`;
  const own = path.join(folder, name);
  fs.mkdirSync(own, { recursive: true });
  const text = markdown(run, previous);
  fs.writeFileSync(path.join(own, 'summary.json'), `${JSON.stringify(run, null, 2)}\n`);
  fs.writeFileSync(path.join(own, 'summary.md'), text);
  fs.writeFileSync(path.join(own, 'report.html'), page(run, recording, previous));
  return { folder: own, text };
}

module.exports = { readRun, writeRun };
