'use strict';
const { table } = require('../lib/markdown');
const { growthText, livesText } = require('./growth');
const { isLeast, misses, nameIn, shown, shownMs } = require('./model');
const { partnersOf } = require('./partners');

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
  '',
];

/** What stands beside the run before. @param {Figures} row @returns {string[]} */
const measured = (row) => [
  row.rps === undefined ? '' : shown(row.rps, row.rps < 100 ? 1 : 0),
  ...[row.p50Ms, row.p90Ms, row.p95Ms, row.p99Ms, row.maxMs].map(shownMs),
  `${isLeast(row) ? '≥ ' : ''}${shown(row.errors)}`,
];

/**
 * How far the errors can be trusted: what a body was compared with, and which bodies were not.
 * @param {Run} run @returns {string[]}
 */
function comparisons(run) {
  const { content, rows } = run;
  if (!content) return [];
  const scenarios = new Map(rows.toReversed().map((row) => [nameIn(run, { ...row, rate: 0 }), row])); // of a mix its whole
  const sum = (/** @type {'requests' | 'compared' | 'outdated'} */ key) =>
    [...scenarios.values()].reduce((total, row) => total + (row[key] ?? 0), 0);
  const share = `${shown(sum('compared'))} of ${shown(sum('requests'))} bodies`;
  const others = 'the others for their id and the outline of their shape';
  if (content.source === 'routes') {
    const missing = 'styles have no other source; name the database of the service (--database) to compare every byte';
    return [`- checked: ${share} against another route, ${others}; ${missing}`];
  }
  const rest = sum('compared') < sum('requests') ? `, ${others}` : '';
  const changed = content.changedAt
    ? [
        `- other data was served from ${content.changedAt.slice(11, 19)} UTC on: ${shown(sum('outdated'))} bodies that differ since then do not count as wrong`,
      ]
    : [];
  return [`- checked: ${share} byte by byte against the database${rest}`, ...changed];
}

/**
 * The figures as cells, for Markdown and the page.
 * @param {Run} run @param {Run} [previous]
 * @returns {{ heads: string[], rows: { cells: string[], before: string[], ok: boolean }[] }} `before`: by cell, what the
 *   previous run had there; empty where it has no such row
 */
function figureTable(run, previous) {
  const partners = previous && partnersOf(run, previous);
  const rows = run.rows.map((row) => {
    const partner = partners?.get(row);
    return {
      ok: row.missed.length === 0,
      before: partner ? ['', '', ...measured(partner)] : [],
      cells: [
        nameIn(run, row),
        row.rate === undefined ? '' : shown(row.rate),
        ...measured(row),
        row.dropped === undefined ? '' : shown(row.dropped),
        shownMs(row.lateMs),
        row.missed.length === 0 ? 'ok' : misses(row).join('; '),
      ],
    };
  });
  return { heads, rows };
}

/** @param {Run} run @returns {string[]} lines above the figures */
function findings(run) {
  const { rows, found, growth, lives, failures } = run;
  const held = found?.map(({ route, held: rate, reason }) =>
    rate === null
      ? `- ${route}: breaks at every rate that was tried: ${reason}`
      : `- ${route}: sustains ${shown(rate)} requests a second; above: ${reason}`,
  );
  // By these alone, one request in a hundred had waited longer than its budget before it was sent.
  const late = rows.filter(({ missed, lateMs = 0, budgetMs }) => missed.length === 0 && lateMs > budgetMs);
  const failed = Object.entries(failures).map(([status, count]) => `${status} × ${shown(count)}`);
  return [
    ...comparisons(run),
    ...(held ?? []),
    ...(growth ?? []).map((one) => `- ${growthText(one)}`),
    ...(lives ?? []).map((one) => `- ${livesText(one)}`),
    ...late.map(
      (row) =>
        `- ${nameIn(run, row)} holds without what k6 itself lost: p99 ${shownMs(row.lateMs)} ms late, budget ${row.budgetMs} ms; ` +
        'send from another machine',
    ),
    ...(failed.length > 0 ? [`- replies other than 200: ${failed.join(', ')}`] : []),
  ];
}

/** @param {Run} run @returns {string} when it began */
const moment = ({ started }) => `${started.slice(0, 16).replace('T', ' ')} UTC`;

/** @param {Run} run @returns {string} what was measured, where and how long, in one line */
const circumstances = (run) =>
  `${moment(run)}, ${shown(run.seconds)} s; ${run.url}, ` +
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
      rows.map(({ cells, before }) => cells.map((cell, n) => (before[n] ? `${cell} (${before[n]})` : cell))),
    ),
    previous ? `In brackets: the run before, of ${moment(previous)}.` : '',
  ];
  return `${lines.filter(Boolean).join('\n\n')}\n`;
}

module.exports = { circumstances, figureTable, findings, markdown, moment };
