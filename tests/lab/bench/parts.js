'use strict';
const { interruptedStatus, textOf } = require('../../../scripts/lib/command-line');
const { machine } = require('../../../scripts/lib/machine');
const { machineTicks, readOrNothing } = require('../../../scripts/lib/proc');
const { exitStatus, partText, summaryText, withErrors, writeReport } = require('./report');
const { interrupted, stopAll, takeEnded } = require('./running');
/** @import { Options, Part, Run } from './report' */

/** @typedef {Record<string, (options: Options) => Promise<Part>>} Parts */

/** @returns {() => number} the share of the CPU time used since then that the host gave to others, in percent */
function watchStolen() {
  const ticks = () => machineTicks(readOrNothing('/proc/stat'));
  const before = ticks();
  return () => {
    const { busy, stolen } = ticks();
    return (100 * (stolen - before.stolen)) / (busy - before.busy);
  };
}

/**
 * One part after the other. The results so far are on the disk at any time.
 * @param {Parts} parts @param {string[]} names @param {Options & { folder?: string }} options `folder` of results
 * @returns {Promise<number>} exit status
 */
async function runParts(parts, names, { say, folder, ...options }) {
  /** @type {Run} */
  const run = { machine: machine(), date: new Date().toISOString(), ...options, parts: [] };
  let file = 'nothing was measured';
  for (const name of names) {
    const stolen = watchStolen();
    const measure = async () =>
      withErrors(await parts[name]({ ...options, say: (line) => say(`${name}: ${line}`) }), takeEnded());
    /** A part that fails has no target. @type {Part} */
    const part = await measure().catch((error) => ({
      name,
      rows: [],
      targets: [],
      failures: [textOf(error), ...takeEnded()],
    }));
    await stopAll();
    if (interrupted.aborted) return interruptedStatus;
    run.parts.push({ ...part, stolenPercent: stolen() });
    file = writeReport(run, folder);
    console.log(`${partText(run.parts[run.parts.length - 1])}\n`);
  }
  const failed = run.parts.filter(({ targets }) => targets.length === 0).map(({ name }) => name);
  if (failed.length > 0) console.log(`failed parts: ${failed.join(', ')}`);
  console.log(`${summaryText(run)}\n${file}`);
  return exitStatus(run);
}

module.exports = { runParts };
