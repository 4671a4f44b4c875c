'use strict';
const { table } = require('../lib/markdown');
const { growthText, livesText } = require('./growth');
const { misses, nameOf, shown, shownMs } = require('./model');

/** @typedef {import('./model').Run} Run */
/** @typedef {import('./model').Figures} Figures */

const heads = [
  'test',
  'asked/s',
  'answered/s',
  'p50 ms',
  'p90 ms',
  'p95 ms',
  'p99 ms',
  'max ms',
  'errors',
  'dropped',
  'late p99 ms',
  'p99 before',
  '',
];

/**
 * The figures as cells, for Markdown and the page.
 * @param {Run} run @param {Run} [previous] of the same test
 * @returns {{ heads: string[], rows: { cells: string[], ok: boolean }[] }}
 */
function figureTable(run, previous) {
  const before = new Map(previous?.rows.map((row) => [nameOf(row), row]));
  const rows = run.rows.map((row) => ({
    ok: row.missed.length === 0,
    cells: [
      nameOf(row),
      row.rate === undefined ? '' : shown(row.rate),
      row.rps === undefined ? '' : shown(row.rps, row.rps < 100 ? 1 : 0),
      ...[row.p50Ms, row.p90Ms, row.p95Ms, row.p99Ms, row.maxMs].map(shownMs),
      shown(row.errors),
      row.dropped === undefined ? '' : shown(row.dropped),
      shownMs(row.lateMs),
      shownMs(before.get(nameOf(row))?.p99Ms),
      row.missed.length === 0 ? 'ok' : misses(row).join('; '),
    ],
  }));
  return { heads, rows };
}

/** @param {Run} run @returns {string[]} lines above the figures */
function findings({ rows, found, growth, lives, failures }) {
  const held = found?.map(({ route, held: rate, reason }) =>
    rate === null
      ? `- ${route}: breaks at every rate that was tried: ${reason}`
      : `- ${route}: sustains ${shown(rate)} requests a second; above: ${reason}`,
  );
  // By these alone, one request in a hundred had waited longer than its budget before it was sent.
  const late = rows.filter(({ missed, lateMs = 0, budgetMs }) => missed.length === 0 && lateMs > budgetMs);
  const failed = Object.entries(failures).map(([status, count]) => `${status} × ${shown(count)}`);
  return [
    ...(held ?? []),
    ...(growth ?? []).map((one) => `- ${growthText(one)}`),
    ...(lives ?? []).map((one) => `- ${livesText(one)}`),
    ...late.map(
      (row) =>
        `- ${nameOf(row)} holds without what k6 itself lost: p99 ${shownMs(row.lateMs)} ms late, budget ${row.budgetMs} ms; ` +
        'send from another machine',
    ),
    ...(failed.length > 0 ? [`- replies other than 200: ${failed.join(', ')}`] : []),
  ];
}

/** @param {Run} run @returns {string} what was measured, where and how long, in one line */
const circumstances = (run) =>
  `${run.started.slice(0, 16).replace('T', ' ')} UTC, ${shown(run.seconds)} s; ${run.url}, ` +
  `${shown(run.catalog.rows)} products; k6 ${run.k6}; ${run.machine}`;

/** @param {Run} run @param {Run} [previous] @returns {string} */
function markdown(run, previous) {
  const { heads: head, rows } = figureTable(run, previous);
  const lines = [
    `# ${run.test}: ${run.ok ? 'held' : 'FAILED'}`,
    run.question,
    circumstances(run),
    run.reasons.map((reason) => `- ${reason}`).join('\n'),
    findings(run).join('\n'),
    table(
      head,
      rows.map(({ cells }) => cells),
    ),
    previous ? `"Before" is the run of ${previous.started.slice(0, 16).replace('T', ' ')} UTC.` : '',
  ];
  return `${lines.filter(Boolean).join('\n\n')}\n`;
}

module.exports = { circumstances, figureTable, findings, markdown };
