'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { machine } = require('../../../scripts/lib/machine');
const { table } = require('../../../scripts/lib/markdown');
const { root: repository } = require('../../../scripts/lib/runtime');
const { load } = require('./ask');
const { events } = require('./incidents');
const { withMachines } = require('./use-machines');
const { makeFleet, shapeOf } = require('./shape');

/* Makes a fleet with everything twice or three times, lets each event happen to it, and writes what was measured. */

const resultFile = path.join(repository, 'results/fleet.md');
const heads = ['event', 'what happens', 'target', 'measured', 'verdict'];
const products = 2000;
/** @param {string[][]} rows @param {boolean} short */
function write(rows, short) {
  fs.mkdirSync(path.dirname(resultFile), { recursive: true });
  const command = `npm run fleet:test -- --part events${short ? ' --short' : ''}`;
  const caption = `${new Date().toISOString().slice(0, 16)}Z, ${machine()}`;
  fs.writeFileSync(resultFile, `# ${command}\n\n${caption}\n\n${table(heads, rows)}\n`);
}

/**
 * @param {import('./incident').Fleet} fleet @param {string[]} names of events; none: all
 * @param {{ short: boolean, say: (line: string) => void }} options `short`: a tenth of load and rounds
 * @returns {Promise<number>} 0 when every target was met
 */
async function measure(fleet, names, { short, say }) {
  /** @type {string[][]} */
  const rows = [];
  for (const name of names.length > 0 ? names : Object.keys(events)) {
    const { done, target, run } = events[name];
    // One that breaks must not hide what the others show.
    const {
      measured,
      pass,
      failures = [],
    } = await run(fleet, short ? 0.1 : 1).catch(({ message }) => {
      return { measured: 'it did not end: see above', pass: false, failures: [message] };
    });
    rows.push([name, done, target, measured, pass ? 'met' : 'MISSED']);
    say([name, ...rows[rows.length - 1].slice(2)].join(' | '));
    if (!pass) failures.forEach((failure) => say(`  ${failure}`));
    write(rows, short);
  }
  say(`written: ${resultFile}`);
  return Number(rows.some((row) => row.at(-1) !== 'met'));
}

/** @param {import('./use-machines').Place & { only: string[], short: boolean }} place @returns {Promise<number>} exit status */
async function proveEvents(place) {
  const { addresses, text } = shapeOf('nine');
  let status = 1;
  await withMachines(place, addresses, async (machines, admin, network) => {
    makeFleet(admin, text, place.release);
    machines['db-1'].must(load(products));
    const fleet = { machines, admin, addresses, network, dir: place.dir, release: place.release };
    status = await measure(fleet, place.only, place);
  });
  return status;
}

module.exports = { measure, proveEvents };
