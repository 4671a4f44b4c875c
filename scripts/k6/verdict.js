'use strict';

/**
 * The figures of one row, as k6/lib/summary.js logs them, and what the runner knows about its step. `rate`: requests a second
 * that were asked for; none of a part of a mix, nor of a burst. `rps`: correct replies a second. `compared`: bodies; if fewer
 * than `requests`, `errors` is a minimum. `outdated`: bodies of data that was replaced, not among the errors. `lateMs`: p99 of
 * k6's own delay, which is in no other time; unknown if it dropped requests. `missed`: k6's thresholds.
 * @typedef {{ scenario: string, route: string, rate?: number, seconds?: number, budgetMs: number, requests: number,
 *   rps?: number, p50Ms: number, p90Ms: number, p95Ms: number, p99Ms: number, maxMs: number, errors: number, compared?: number,
 *   outdated?: number, dropped?: number, lateMs?: number, missed: string[], load?: import('./server-figures').StepLoad,
 *   failures?: string[] }} Figures
 */

/** The answer of a search. @typedef {{ route: string, held: number | null, broke: number | null, reason: string }} Found */

/**
 * A run, as summary.json keeps it. `started`: ISO 8601. `cores`: that k6 may use. `content`: what bodies were compared with.
 * `ended`: workers that did. `statuses`: replies that were not 200, by status or k6's error code. `interrupted`: its last rows are shorter than they say.
 * @typedef {{ test: string, question: string, started: string, seconds: number, url: string, machine: string, k6: string,
 *   cores: number, catalog: { rows: number, known: number }, content?: { source: 'database' | 'routes', changedAt?: string },
 *   rows: Figures[], found?: Found[], soak?: ReturnType<typeof soakOf>, ended?: string[], statuses: Record<string, number>,
 *   interrupted?: boolean, ok: boolean, reasons: string[] }} Run
 */

/** Of fewer requests the p99 is the slowest one: chance, and no verdict. */
const leastForP99 = 100;

/** Above it a process waits for a core. */
const busyShare = 0.9;

/** @param {number} value @param {number} [digits] */
const shown = (value, digits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Such a measurement is worth three digits. @param {number | undefined} ms */
const shownMs = (ms) => (ms === undefined ? '' : shown(ms, ms < 10 ? 2 : ms < 100 ? 1 : 0));

/** @param {Pick<Figures, 'scenario' | 'route' | 'rate'>} row */
const nameOf = ({ scenario, route, rate }) => (rate === undefined ? `${scenario} ${route}` : scenario);

/** Of bodies that were partly compared, only a minimum is known. @param {Figures} row */
const isLeast = ({ errors, requests, compared = requests }) => errors > 0 && compared < requests && errors < requests;

/** What each of k6's metrics means when it misses its threshold. @type {Record<string, (row: Figures) => string>} */
const explanations = {
  http_req_duration: (row) => `p99 ${shownMs(row.p99Ms)} ms, allowed ${row.budgetMs} ms`,
  errors: (row) =>
    `${isLeast(row) ? 'at least ' : ''}${shown(row.errors)} of ${shown(row.requests)} replies failed or were wrong`,
  http_reqs: (row) =>
    row.rate ? `only ${shown(row.requests / (row.seconds ?? NaN), 1)} of ${row.rate} requests a second` : 'no request',
  dropped_iterations: (row) => `${shown(row.dropped ?? 0)} requests could not be sent in time`,
};

/** @param {Figures} row */
const isTooFew = ({ requests }) => requests < leastForP99;

/** k6 chose its thresholds before it drew the requests of a mix. @param {Figures} row @returns {string[]} in words */
const misses = (row) =>
  row.missed
    .filter((text) => !(isTooFew(row) && text.startsWith('http_req_duration ')))
    .map((text) => explanations[text.split(' ')[0]]?.(row) ?? text);

/** @param {Figures} row @returns {string} in few words: the report lists the reasons */
const verdictOf = (row) => (misses(row).length > 0 ? 'FAILED' : isTooFew(row) ? 'ok, too few for a p99' : 'ok');

/**
 * Why a step shows the limit of the traffic generator and not of the service.
 * @param {Figures} row @param {number} cores that k6 may use
 * @returns {string[]} empty for a step that held, unless k6's own delay hid a missed budget
 */
function generatorLimits(row, cores) {
  const { dropped = 0, lateMs = 0, budgetMs, p99Ms, load } = row;
  const { cpu: { k6 = 0 } = {}, busy = 0 } = load ?? {};
  // More CPU would not have made replies correct.
  const isSlow = misses({ ...row, missed: row.missed.filter((text) => !text.startsWith('errors ')) }).length > 0;
  const late = `it sent requests late (p99 ${shownMs(lateMs)} ms), which no other time includes`;
  return [
    ...(dropped > 0 && p99Ms <= budgetMs ? [`it dropped ${shown(dropped)} requests while replies were fast`] : []),
    ...(lateMs > budgetMs ? [late] : []),
    ...(isSlow && k6 > cores * busyShare ? [`k6 used ${k6.toFixed(2)} of its ${cores} cores`] : []),
    ...(isSlow && busy > cores * busyShare ? [`its machine was busy (${busy.toFixed(2)} cores in use)`] : []),
  ];
}

/** @param {Figures[]} rows @returns {string[]} one line for each row that missed something */
const reasonsOf = (rows) =>
  rows.filter((row) => misses(row).length > 0).map((row) => `${nameOf(row)}: ${misses(row).join('; ')}`);

/** @typedef {import('./server-figures').ServerPoint} ServerPoint */
/** @typedef {{ line: string, unit: string, perHour: number, from: number, to: number, ok: boolean }} Growth */
/** @typedef {{ line: string, processes: number }} Lives how many processes a worker was, one after the other */

/** A larger gain is a leak, or the run was too short. */
const allowed = [
  { group: 'memory', unit: 'MB', share: 0.1, least: 16 },
  { group: 'descriptors', unit: 'descriptors', share: 0.1, least: 20 },
];

/** A slow scrape or two at the end of a run mean nothing. */
const allowedSilenceS = 10;

/** @param {ServerPoint[]} points @param {(point: ServerPoint) => number} read */
const mean = (points, read) => points.reduce((sum, point) => sum + read(point), 0) / points.length;

/**
 * In the first third of a run caches fill and the heap finds its size. Growth is seen between the next and the last two ninths.
 * @param {ServerPoint[]} points @returns {Growth[]} empty if too little was seen
 */
function growthOf(points) {
  const ninth = Math.floor(points.length / 9);
  if (ninth < 1) return [];
  const [first, last] = [points.slice(3 * ninth, 5 * ninth), points.slice(-2 * ninth)];
  const hours = (mean(last, ({ t }) => t) - mean(first, ({ t }) => t)) / 3600;
  return allowed.flatMap(({ group, unit, share, least }) =>
    Object.keys(first[0].groups[group] ?? {}).map((line) => {
      const [from, to] = [first, last].map((part) => mean(part, ({ groups }) => groups[group]?.[line]));
      return { line, unit, from, to, perHour: (to - from) / hours, ok: to - from <= Math.max(least, from * share) };
    }),
  );
}

/** A worker that leaks until it is killed starts again, and its memory shows no growth. @param {ServerPoint[]} points @returns {Lives[]} */
function livesOf(points) {
  const starts = points.flatMap(({ groups }) => Object.entries(groups.started ?? {}));
  return [...new Set(starts.map(([line]) => line))].map((line) => ({
    line,
    processes: new Set(starts.filter(([name]) => name === line).map(([, at]) => at)).size,
  }));
}

/** @param {import('./timeline').Window[]} windows @param {ServerPoint[]} server */
function soakOf(windows, server) {
  const [lastSeen, end] = [server.at(-1)?.t ?? 0, windows.at(-1)?.t ?? 0];
  return { growth: growthOf(server), lives: livesOf(server), silentS: Math.round(end - lastSeen) };
}

/** @param {Growth} growth */
const growthText = ({ unit, line, perHour, from, to }) =>
  `${line}: ${from.toFixed(0)} → ${to.toFixed(0)} ${unit}, ${perHour.toFixed(1)} an hour`;

/** @param {Lives} lives */
const livesText = ({ line, processes }) =>
  processes === 1
    ? `${line}: the same process throughout`
    : `${line}: restarted, ${processes} processes during the run`;

/** @param {ReturnType<typeof soakOf>} soak @returns {string[]} why it failed */
function soakReasons({ growth, lives, silentS }) {
  if (growth.length === 0 || lives.length === 0)
    return ['the workers were not watched: name their metrics with --metrics'];
  return [
    ...growth.filter(({ ok }) => !ok).map(growthText),
    ...lives.filter(({ processes }) => processes > 1).map(livesText),
    ...(silentS > allowedSilenceS ? [`a worker did not answer for the last ${silentS} s: see its log`] : []),
  ];
}

/** @param {Pick<Run, 'rows' | 'found' | 'interrupted' | 'soak' | 'ended'>} facts @returns {string[]} why the test has failed */
function judge({ rows, found, interrupted, soak, ended = [] }) {
  const cutOff = interrupted ? ['the run was interrupted'] : [];
  // A search breaks rates on purpose; it fails if none holds.
  const broken = found?.filter(({ held }) => held === null).map(({ route, reason }) => `${route}: ${reason}`);
  const nothing = (found ?? rows).length === 0 ? ['nothing was measured'] : [];
  return [...nothing, ...(broken ?? reasonsOf(rows)), ...(soak ? soakReasons(soak) : ended), ...cutOff];
}

module.exports = {
  ...{ generatorLimits, growthText, isLeast, judge, livesText, misses, nameOf },
  ...{ reasonsOf, shown, shownMs, soakOf, verdictOf },
};
