'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { machine } = require('../lib/machine');
const { root } = require('../lib/runtime');
const { events } = require('./events');

const resultFile = path.join(root, 'results/cluster.md');
const columns = '| event | what was done | bar | measured | pass |\n|---|---|---|---|---|\n';

/** @param {import('./events').Outcome} outcome */
const isMet = ({ pass, inTime = true }) => pass && inTime;

/** @param {string} name @param {import('./events').Outcome} outcome @returns {string} a row of the table */
const row = (name, outcome) =>
  `| ${name} | ${events[name].done} | ${events[name].bar} | ${outcome.measured} | ${isMet(outcome) ? 'yes' : 'NO'} |`;

/** Rows measured before stay until they are measured again. @param {Map<string, string>} rows */
function write(rows) {
  const title = `# What the cluster does when things fail\n\nMeasured by \`npm run cluster -- prove\`; everything on one machine: ${machine()}.\n\n`;
  const order = Object.keys(events).filter((name) => rows.has(name));
  fs.mkdirSync(path.dirname(resultFile), { recursive: true });
  fs.writeFileSync(resultFile, `${title}${columns}${order.map((name) => rows.get(name)).join('\n')}\n`);
}

/** @returns {Map<string, string>} */
function known() {
  const text = fs.existsSync(resultFile) ? fs.readFileSync(resultFile, 'utf8') : '';
  const rows = text.match(/^\| (?!event |---).*$/gm) ?? [];
  return new Map(rows.map((line) => [line.split(' ')[1], line]));
}

/**
 * @param {import('./cluster').Cluster} cluster @param {string[]} names of events; none: all
 * @param {{ short: boolean, say: (line: string) => void }} options `short`: a tenth of the load, and no file
 * @returns {Promise<number>} 0 when every bar was met
 */
async function prove(cluster, names, { short, say }) {
  const wanted = names.length > 0 ? names : Object.keys(events);
  const rows = known();
  let missed = 0;
  for (const name of wanted) {
    const result = await events[name].run(cluster, short ? 0.1 : 1);
    say(row(name, result));
    for (const failure of isMet(result) ? [] : (result.failures ?? [])) say(`  ${failure}`);
    rows.set(name, row(name, result));
    if (!short) write(rows);
    missed += isMet(result) ? 0 : 1;
  }
  return missed === 0 ? 0 : 1;
}

module.exports = { prove };
