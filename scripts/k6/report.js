'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { table } = require('../lib/markdown');
const { root } = require('../lib/runtime');

/** @typedef {import('./run').Run} Run */
/** @typedef {import('./run').Measured} Measured */
/** @typedef {import('./run').Figures} Figures */

/** Above it a process waits for a core. */
const busyShare = 0.9;

/** @param {number | undefined} value @param {number} [digits] */
const shown = (value, digits = 0) =>
  value?.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }) ?? '';

/** Such a measurement is worth three digits. @param {number | undefined} ms */
const shownMs = (ms = NaN) => (Number.isNaN(ms) ? '' : shown(ms, ms < 10 ? 2 : ms < 100 ? 1 : 0));

/** @param {Figures} row */
const nameOf = ({ scenario, route, rate }) => (rate === undefined ? `${scenario} ${route}` : scenario);

/** Errors of bodies that were partly compared are a minimum. @param {Figures} row */
const errorsOf = ({ errors, requests, compared }) =>
  `${errors > 0 && compared < requests && errors < requests ? '≥ ' : ''}${shown(errors)}`;

/** @type {[head: string, cell: (row: Figures) => string][]} */
const columns = [
  ['step', nameOf],
  ['verdict', ({ missed }) => (missed.length > 0 ? 'missed' : 'met')],
  ['asked/s', ({ rate }) => shown(rate)],
  ['requests', ({ requests }) => shown(requests)],
  ['answered/s', ({ rps }) => shown(rps, 1)],
  ['p50 ms', ({ p50Ms }) => shownMs(p50Ms)],
  ['p95 ms', ({ p95Ms }) => shownMs(p95Ms)],
  ['p99 ms', ({ p99Ms }) => shownMs(p99Ms)],
  ['max ms', ({ maxMs }) => shownMs(maxMs)],
  ['errors', errorsOf],
  ['dropped', ({ dropped }) => shown(dropped)],
  ['late p99 ms', ({ lateMs }) => shownMs(lateMs)],
];

/**
 * Why a run shows the limit of the traffic generator, or of another program on its machine, and not of the service.
 * @param {Measured} part @param {number} cores that k6 may use @returns {string[]}
 */
function limitsOf({ rows, cpu }, cores) {
  const dropped = rows.filter((row) => row.dropped && row.p99Ms <= row.budgetMs);
  const late = rows.filter(({ lateMs = 0, budgetMs }) => lateMs > budgetMs);
  // More CPU would not have made replies correct.
  const isSlow = rows.some(({ missed }) => missed.some((text) => !text.startsWith('errors ')));
  const isBusy = isSlow && cpu.all > cores * busyShare;
  return [
    ...dropped.map((row) => `${nameOf(row)}: k6 dropped ${shown(row.dropped)} requests while replies were fast`),
    ...late.map((row) => `${nameOf(row)}: k6 sent requests late, which no time of a reply includes`),
    ...(isBusy ? [`k6's machine was busy (${shown(cpu.all, 2)} of ${cores} cores, k6 ${shown(cpu.k6, 2)})`] : []),
  ].map((text) => `the generator is the limit: ${text}; send from another machine`);
}

/** @param {Measured} part of a breakpoint */
function breakText({ rows: [whole, ...parts] }) {
  const missed = [whole, ...(whole.missed.length > 0 ? [] : parts)].flatMap((row) => row.missed);
  const end = missed.length > 0 ? `breaks at ${shown(whole.rate)}` : `holds ${shown(whole.rate)}`;
  return [`${whole.route}: ${end} requests a second`, ...missed].join('; ');
}

/** A rate that rises is ended by what it misses. It fails if its first rate did not double. @param {Run} run @returns {string[]} what missed its target */
function reasonsOf({ parts, interrupted }) {
  const missed = parts.flatMap((part) => {
    const [{ rate = 0, risesFrom }] = part.rows;
    if (risesFrom) return [...part.missed, ...(rate < 2 * risesFrom ? [breakText(part)] : [])];
    const ofRows = part.rows.flatMap((row) => row.missed.map((text) => `${nameOf(row)}: ${text}`));
    const all = [...part.missed, ...ofRows];
    return all.length > 0 || part.met ? all : ['k6 reports a threshold that was crossed'];
  });
  return interrupted ? [...missed, 'the run was interrupted'] : missed;
}

/** @param {Run} run @returns {string[]} lines above the figures */
function findings({ source, parts, cores }) {
  const wholes = parts.flatMap(({ rows }) => rows.filter(({ dropped }) => dropped !== undefined));
  const sum = (/** @type {'requests' | 'compared' | 'outdated'} */ key) =>
    wholes.reduce((total, row) => total + row[key], 0);
  const [all, compared, outdated] = [sum('requests'), sum('compared'), sum('outdated')];
  const against = source === 'database' ? 'byte by byte with the database' : 'with another route';
  const rest = compared < all ? ', the others by id and shape' : '';
  const hint = source === 'routes' ? '; no other route has styles: name the database (--database)' : '';
  const shares = parts.flatMap(({ rows: [{ scenario }], tiers }) => {
    const texts = Object.entries(tiers ?? {}).map(([tier, share]) => `${tier} ${shown(share * 100)} %`);
    return tiers ? [`replies came from ${texts.join(', ')}${parts.length > 1 ? ` (${scenario})` : ''}`] : [];
  });
  return [
    `compared: ${shown(compared)} of ${shown(all)} bodies ${against}${rest}${hint}`,
    ...(outdated > 0 ? [`the data changed: ${shown(outdated)} bodies that differ since then are no errors`] : []),
    ...shares,
    ...parts.filter(({ rows }) => rows[0].risesFrom).map(breakText),
    ...parts.flatMap((part) => limitsOf(part, cores)),
    ...parts.flatMap(({ notes, failures }) => [...notes, ...failures]),
  ];
}

/** @param {Run} run @returns {string} Markdown */
function markdown(run) {
  const reasons = reasonsOf(run);
  const list = (/** @type {string[]} */ lines) => lines.map((line) => `- ${line}`).join('\n');
  const rows = run.parts.flatMap((part) => part.rows);
  const place = `${run.url}, ${shown(run.parts[0].catalog.rows)} products; k6 ${run.k6}; ${run.machine}`;
  const blocks = [
    `# ${run.test}: ${reasons.length > 0 ? 'missed' : 'met'}`,
    run.question,
    `${run.started.slice(0, 16).replace('T', ' ')} UTC, ${run.seconds} s; ${place}`,
    list(reasons),
    list(findings(run).filter((line) => !reasons.includes(line))),
    table(
      columns.map(([head]) => head),
      rows.map((row) => columns.map(([, cell]) => cell(row))),
    ),
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

/**
 * Writes the figures for programs and for people.
 * @param {Run} run @param {string} [folder] of all runs
 * @returns {{ file: string, text: string }} the report
 */
function writeRun(run, folder = path.join(root, 'results/k6')) {
  const name = `${run.started.slice(0, 19).replaceAll(':', '').replace('T', '-')}-${run.test}`;
  let own = path.join(folder, name);
  for (let n = 2; fs.existsSync(own); n += 1) own = path.join(folder, `${name}-${n}`); // of the same second
  fs.mkdirSync(own, { recursive: true });
  const text = markdown(run);
  const [reasons, rows] = [reasonsOf(run), run.parts.flatMap((part) => part.rows)];
  const parts = run.parts.map(({ rows: _, ...part }) => part);
  const facts = { ...run, parts, rows, reasons, ok: reasons.length === 0 };
  fs.writeFileSync(path.join(own, 'summary.json'), `${JSON.stringify(facts, null, 2)}\n`);
  const file = path.join(own, 'summary.md');
  fs.writeFileSync(file, text);
  return { file, text };
}

module.exports = { limitsOf, markdown, reasonsOf, writeRun };
