'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { machine } = require('../../../scripts/lib/machine');
const { table } = require('../../../scripts/lib/markdown');
const { root: repository } = require('../../../scripts/lib/runtime');
const { judge } = require('../judge');
const { incidents } = require('./incidents');
const { makeFleet, shapeOf } = require('./shape');
const { useMachines } = require('./use-machines');

/* Makes a fleet with everything twice or three times, lets each incident happen to it, and writes what was measured. */

const resultFile = path.join(repository, 'results/fleet.md');
const nine = shapeOf('nine');
const fleet = useMachines(nine.addresses, (made) => makeFleet(made, nine));

/** @type {string[][]} */
const rows = [];
/** After each incident: one that breaks does not hide what the others show. @param {string[]} row */
function write(...row) {
  rows.push(row);
  fs.mkdirSync(path.dirname(resultFile), { recursive: true });
  const command = `npm run fleet:test -- --part incidents${fleet.short ? ' --short' : ''}`;
  const caption = `${new Date().toISOString().slice(0, 16)}Z, ${machine()}`;
  const heads = ['incident', 'what happens', 'target', 'measured', 'verdict'];
  fs.writeFileSync(resultFile, `# ${command}\n\n${caption}\n\n${table(heads, rows)}\n`);
}

/** @param {import('../judge').Figures} figures */
const textOf = (figures) =>
  Object.entries(figures)
    .map(([name, [value]]) => `${name} ${Array.isArray(value) ? value.length : value}`)
    .join(', ');

const all = Object.entries(incidents).map(([name, incident]) => ({ name, ...incident }));

test.each(all)('$name: $done', async ({ name, done, target, run }) => {
  let [measured, verdict] = ['it did not end', 'MISSED'];
  try {
    const figures = await run(fleet, fleet.short ? 0.1 : 1);
    measured = textOf(figures);
    judge(figures);
    verdict = 'met';
  } finally {
    write(name, done, target, measured, verdict);
  }
});
