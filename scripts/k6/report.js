'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../lib/runtime');
const { generatorLimits, growthText, isLeast, livesText, nameOf, shown, shownMs, verdictOf } = require('./verdict');

/** @typedef {import('./verdict').Run} Run */
/** @typedef {import('./verdict').Figures} Figures */

/**
 * A search holds the rate that it found once more, so only the seconds distinguish the two rows.
 * @param {Run} run @param {Figures} row @returns {string} a name that no other row of the run has
 */
const nameIn = ({ found }, row) => (found ? `${nameOf(row)} for ${row.seconds} s` : nameOf(row));

/** @param {Figures} row @param {string} tier */
const share = ({ load }, tier) => (load?.tiers ? shown(load.tiers[tier] * 100) : '');

/** @typedef {[head: string, cell: (row: Figures) => string]} Column */
/** @type {Column[]} */
const columns = [
  ['asked/s', ({ rate }) => (rate === undefined ? '' : shown(rate))],
  ['requests', ({ requests }) => shown(requests)],
  ['answered/s', ({ rps }) => (rps === undefined ? '' : shown(rps, rps < 100 ? 1 : 0))],
  ['p50 ms', ({ p50Ms }) => shownMs(p50Ms)],
  ['p95 ms', ({ p95Ms }) => shownMs(p95Ms)],
  ['p99 ms', ({ p99Ms }) => shownMs(p99Ms)],
  ['max ms', ({ maxMs }) => shownMs(maxMs)],
  ['errors', (row) => `${isLeast(row) ? '≥ ' : ''}${shown(row.errors)}`],
  ['dropped', ({ dropped }) => (dropped === undefined ? '' : shown(dropped))],
  ['late p99 ms', ({ lateMs }) => shownMs(lateMs)],
  ...['L0', 'L1', 'L2', 'PostgreSQL'].map((tier) => /** @type {Column} */ ([`${tier} %`, (row) => share(row, tier)])),
];

/** How far the errors can be trusted. @param {Run} run @returns {string[]} */
function comparisons({ content, rows }) {
  if (!content) return [];
  const wholes = rows.filter(({ rate, load }) => rate !== undefined || load); // not the parts of a mix
  const sum = (/** @type {'requests' | 'compared' | 'outdated'} */ key) =>
    shown(wholes.reduce((total, row) => total + (row[key] ?? 0), 0));
  const [compared, all, outdated] = [sum('compared'), sum('requests'), sum('outdated')];
  const rest = compared === all ? '' : ', the others only by id and shape';
  const missing = 'styles have no other source; name the database of the service (--database) to compare every byte';
  if (content.source === 'routes')
    return [`checked: ${compared} of ${all} bodies against another route${rest}; ${missing}`];
  const changed = `${outdated} bodies that differ since then do not count as wrong`;
  return [
    `checked: ${compared} of ${all} bodies byte by byte against the database${rest}`,
    ...(content.changedAt ? [`the data changed at ${content.changedAt.slice(11, 19)} UTC: ${changed}`] : []),
  ];
}

/** @param {Run} run @returns {string[]} lines above the figures */
function findings(run) {
  const { rows, found = [], soak, statuses, cores } = run;
  const held = found.map(({ route, held, reason }) =>
    held === null
      ? `${route}: breaks at every rate that was tried: ${reason}`
      : `${route}: sustains ${shown(held)} requests a second; above: ${reason}`,
  );
  const limits = rows.flatMap((row) => {
    const why = found.length > 0 ? [] : generatorLimits(row, cores); // a search has them in its reasons
    return why.map((reason) => `${nameOf(row)}: the generator is the limit: ${reason}; send from another machine`);
  });
  const others = Object.entries(statuses).map(([status, count]) => `${status} × ${shown(count)}`);
  const processes = soak ? [...soak.growth.map(growthText), ...soak.lives.map(livesText)] : [];
  const failed = others.length > 0 ? [`replies other than 200: ${others.join(', ')}`] : [];
  const lines = [...comparisons(run), ...held, ...processes, ...limits, ...failed];
  return lines.filter((line) => !run.reasons.includes(line));
}

/** @param {Run} run @returns {string} what was measured, when and where */
const circumstances = (run) =>
  `${run.started.slice(0, 16).replace('T', ' ')} UTC, ${shown(run.seconds)} s; ${run.url}, ` +
  `${shown(run.catalog.rows)} products; k6 ${run.k6}; ${run.machine}`;

/** @param {Run} run @returns {string} Markdown whose columns are aligned in a terminal, too */
function figureTable(run) {
  const kept = columns.filter(([, cell]) => run.rows.some((row) => cell(row) !== ''));
  const lines = [
    ['step', 'verdict', ...kept.map(([head]) => head)],
    ...run.rows.map((row) => [nameIn(run, row), verdictOf(row), ...kept.map(([, cell]) => cell(row))]),
  ];
  const widths = lines[0].map((_, at) => Math.max(...lines.map((cells) => cells[at].length)));
  const aligned = (/** @type {string} */ cell, /** @type {number} */ at) =>
    at < 2 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]);
  const rule = widths.map((width, at) => (at < 2 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [head, ...body] = lines.map((cells) => cells.map(aligned));
  return [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** @param {Run} run @returns {string} Markdown */
function markdown(run) {
  const list = (/** @type {string[]} */ lines) => lines.map((line) => `- ${line}`).join('\n');
  const failures = run.rows.flatMap(({ scenario, failures = [] }) => failures.map((text) => `${scenario}: ${text}`));
  const parts = [
    `# ${run.test}: ${run.ok ? 'held' : 'FAILED'}`,
    run.question,
    circumstances(run),
    list(run.reasons),
    list(findings(run)),
    failures.length > 0 ? `First failures:\n\n${list(failures)}` : '',
    figureTable(run),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/**
 * Writes the figures for programs and for people.
 * @param {Run} run @param {string} [folder] of all runs
 * @returns {{ file: string, text: string }} the report
 */
function writeRun(run, folder = path.join(root, 'results/k6')) {
  const name = `${run.started.slice(0, 19).replaceAll(':', '').replace('T', '-')}-${run.test}`;
  fs.mkdirSync(folder, { recursive: true });
  let own = path.join(folder, name);
  for (let n = 2; fs.existsSync(own); n += 1) own = path.join(folder, `${name}-${n}`); // of the same second
  fs.mkdirSync(own);
  const text = markdown(run);
  fs.writeFileSync(path.join(own, 'summary.json'), `${JSON.stringify(run, null, 2)}\n`);
  const file = path.join(own, 'summary.md');
  fs.writeFileSync(file, text);
  return { file, text };
}

module.exports = { markdown, writeRun };
