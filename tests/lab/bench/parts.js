'use strict';
const { interruptedStatus, textOf } = require('../../../scripts/lib/command-line');
const { machine } = require('../../../scripts/lib/machine');
const { partText, summaryText, writeReport } = require('./report');
const { watchStolen } = require('./resources');
const { interrupted, onRow, stopAll, takeEnded } = require('./running');
const { exitStatus, verdict, withEnded, withErrors } = require('./targets');
/** @import { Run } from './report' */
/** @import { Part, Row } from './targets' */

/** @typedef {Pick<Run, 'products' | 'rounds' | 'seconds'>} Options */
/** @typedef {Record<string, (options: Options & { say: (line: string) => void }) => Promise<Part>>} Parts */

/**
 * One part after the other. The results so far are on the disk at any time: neither a part that fails nor the end of this process
 * loses what was measured.
 * @param {Parts} parts @param {string[]} names @param {Options & { say: (line: string) => void, folder?: string }} options `folder` of results
 * @returns {Promise<number>} exit status
 */
async function runParts(parts, names, { say, folder, ...options }) {
  /** @type {Run} */
  const run = { machine: machine(), date: new Date().toISOString(), ...options, parts: [] };
  /** @type {string[]} */
  const failed = [];
  let file = 'nothing was measured';
  for (const name of names) {
    if (interrupted.aborted) break;
    const stolen = watchStolen();
    /** @type {Row[]} */
    const rows = [];
    const keep = (/** @type {Part} */ part) => {
      const parts = [...run.parts, { ...part, stolenPercent: stolen() }];
      file = writeReport({ ...run, parts }, folder);
      return parts;
    };
    onRow((row) => void (rows.push(row), keep({ name, rows, targets: [], failures: ['it has not ended'] })));
    try {
      const measured = await parts[name]({ ...options, say: (line) => say(`${name}: ${line}`) });
      run.parts = keep(withEnded(withErrors(measured), takeEnded()));
    } catch (error) {
      if (interrupted.aborted) break;
      failed.push(name);
      run.parts = keep({ name, rows, targets: [], failures: [textOf(/** @type {Error} */ (error)), ...takeEnded()] });
    } finally {
      await stopAll();
    }
    console.log(`${partText(run.parts[run.parts.length - 1])}\n`);
  }
  if (interrupted.aborted) return interruptedStatus;
  if (failed.length > 0) console.log(`failed parts: ${failed.join(', ')}`);
  console.log(`${summaryText(run)}\n${file}`);
  return exitStatus(
    run.parts.flatMap(({ targets }) => targets.map(verdict)),
    failed,
  );
}

module.exports = { runParts };
