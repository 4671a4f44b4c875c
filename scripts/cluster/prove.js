'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { machine } = require('../lib/machine');
const { table } = require('../lib/markdown');
const { root } = require('../lib/runtime');
const { events } = require('./events');

const resultFile = path.join(root, 'results/cluster.md');
const heads = ['event', 'action', 'target', 'measured', 'verdict'];

/**
 * @param {import('./cluster').Cluster} cluster @param {string[]} names of events; none: all
 * @param {{ short: boolean, say: (line: string) => void }} options `short`: a tenth of the load, and no file
 * @returns {Promise<number>} 0 when every target was met
 */
async function prove(cluster, names, { short, say }) {
  /** @type {string[][]} */
  const rows = [];
  for (const name of names.length > 0 ? names : Object.keys(events)) {
    const { measured, pass, inTime = true, failures = [] } = await events[name].run(cluster, short ? 0.1 : 1);
    const met = pass && inTime;
    rows.push([name, events[name].done, events[name].target, measured, met ? 'met' : 'MISSED']);
    say([name, ...rows[rows.length - 1].slice(2)].join(' | '));
    if (!met) failures.forEach((failure) => say(`  ${failure}`));
  }
  if (!short) {
    fs.mkdirSync(path.dirname(resultFile), { recursive: true });
    fs.writeFileSync(resultFile, `# npm run cluster -- prove\n\n${machine()}\n\n${table(heads, rows)}\n`);
  }
  return Number(rows.some((row) => row.at(-1) !== 'met'));
}

module.exports = { prove };
