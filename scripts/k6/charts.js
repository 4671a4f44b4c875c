'use strict';

/** @typedef {import('./timeline').Window} Window */
/** @typedef {import('./recorder').ServerPoint} ServerPoint */
/** @typedef {{ windows: Window[], server: ServerPoint[] }} Recording a run, second by second */

/**
 * Lines over one axis, as the page draws them.
 * @typedef {object} Chart
 * @property {'time' | 'rate'} over
 * @property {string} title
 * @property {string} unit of the values
 * @property {boolean} [log] logarithmic values
 * @property {string[]} names of the lines; `budget` is drawn as a limit
 * @property {(number | null)[]} x seconds since the begin, or requests a second
 * @property {(number | null)[][]} values one list for each name
 */

/** More points than pixels only make the page heavy. */
const mostPoints = 1200;

/** What is drawn of the workers. @type {{ group: string, title: string, unit: string }[]} */
const serverCharts = [
  { group: 'cpu', title: 'CPU', unit: 'cores' },
  // The client library looks every 10 ms and counts that pause as lag.
  { group: 'lag', title: 'Event-loop lag of the workers, p99 (10 is none)', unit: 'ms' },
  { group: 'memory', title: 'Memory of the workers, resident', unit: 'MB' },
  { group: 'pool', title: 'Queries that wait for PostgreSQL, by lane', unit: 'queries' },
  { group: 'cache', title: 'Reads by the tier that answered', unit: 'reads/s' },
  { group: 'held', title: 'Replies held in the workers', unit: 'MB' },
  { group: 'descriptors', title: 'Open descriptors of the workers', unit: 'descriptors' },
  { group: 'refused', title: 'Requests refused with 503, by reason', unit: 'requests/s' },
];

/** @typedef {(...values: number[]) => number} Worst Math.max, or Math.min of what is better when it is more */

/**
 * Fewer points: of neighbours the worst value stays, because a chart of a long run must still show its worst second. Nor
 * do neighbours hide a gap: where no line has a value they end.
 * @param {number[]} x @param {(number | null)[][]} values @param {Worst[]} [worst] of each line; else the greatest
 */
function thin(x, values, worst = []) {
  const size = Math.ceil(x.length / mostPoints);
  if (size <= 1) return { x, values };
  const isGap = (/** @type {number} */ n) => values.every((list) => list[n] === null);
  /** @type {number[][]} indexes of neighbours */
  const groups = [];
  x.forEach((_, n) => {
    const last = groups.at(-1);
    if (last && last.length < size && isGap(last[0]) === isGap(n)) last.push(n);
    else groups.push([n]);
  });
  const thinned = values.map((list, line) =>
    groups.map((group) => {
      const numbers = group.map((n) => list[n]).filter((value) => value !== null);
      return numbers.length < group.length ? null : (worst[line] ?? Math.max)(...numbers);
    }),
  );
  return { x: groups.map(([first]) => x[first]), values: thinned };
}

/** @param {number | undefined} value @returns {number | null} what JSON can say */
const finite = (value) => (Number.isFinite(value) ? Number(value) : null);

/**
 * Seconds without a sample break a line instead of being bridged.
 * @param {Window[]} windows sorted @returns {Partial<Window>[]}
 */
const withGaps = (windows) =>
  windows.flatMap((window, n) =>
    n > 0 && window.t - windows[n - 1].t > 2 ? [{ t: windows[n - 1].t + 1 }, window] : [window],
  );

/** @typedef {Partial<Window> & { budgetMs?: number }} Second */

/** @param {Second[]} seconds @param {number} begin @returns {Chart[]} */
function loadCharts(seconds, begin) {
  const x = seconds.map(({ t }) => Number(t) - begin);
  /** @param {Partial<Chart> & { title: string, unit: string }} chart @param {[string, keyof Second, Worst?][]} lines */
  const chart = (chart, lines) => ({
    over: /** @type {const} */ ('time'),
    ...chart,
    names: lines.map(([name]) => name),
    ...thin(
      x,
      lines.map(([, key]) => seconds.map((window) => finite(Number(window[key] ?? NaN)))),
      lines.map(([, , worst = Math.max]) => worst),
    ),
  });
  const latencies = /** @type {[string, keyof Second][]} */ ([
    ['p50', 'p50Ms'],
    ['p95', 'p95Ms'],
    ['p99', 'p99Ms'],
    ['max', 'maxMs'],
    ['budget', 'budgetMs'],
  ]);
  return [
    chart({ title: 'Latency', unit: 'ms', log: true }, latencies),
    chart({ title: 'Answered', unit: 'requests/s' }, [
      ['answered', 'rps', Math.min],
      ['errors', 'errors'],
      ['not sent in time', 'dropped'],
    ]),
  ];
}

/** @param {ServerPoint[]} points @param {number} begin @returns {Chart[]} without those that have nothing to show */
function drawServer(points, begin) {
  const x = points.map(({ t }) => Math.round((t - begin) * 10) / 10);
  return serverCharts.flatMap(({ group, title, unit }) => {
    const lines = points.flatMap(({ groups }) => Object.keys(groups[group] ?? {}));
    const names = [...new Set(lines)].sort();
    if (names.length === 0) return [];
    const values = names.map((name) => points.map(({ groups }) => finite(groups[group]?.[name])));
    return [{ over: /** @type {const} */ ('time'), title, unit, names, ...thin(x, values) }];
  });
}

/**
 * What each rate costs. Rates that are asked for twice (a search) count with their worse figure.
 * @param {import('./model').Figures[]} rows
 * @returns {Chart[]} none when there is but one rate
 */
function ladderChart(rows) {
  const rungs = rows.filter(({ rate }) => rate !== undefined);
  const rates = [...new Set(rungs.map(({ rate }) => Number(rate)))].sort((a, b) => a - b);
  if (rates.length < 2) return [];
  const names = [...new Set(rungs.map(({ route }) => route))];
  const values = names.map((name) =>
    rates.map((rate) => {
      const own = rungs.filter((row) => row.route === name && row.rate === rate);
      return own.length > 0 ? Math.max(...own.map(({ p99Ms }) => p99Ms)) : null;
    }),
  );
  const budgets = rates.map((rate) => rungs.find((row) => row.rate === rate)?.budgetMs ?? null);
  const chart = { title: 'What each rate costs: p99', unit: 'ms', log: true, x: rates };
  const over = /** @type {const} */ ('rate');
  return [{ ...chart, over, names: [...names, 'budget'], values: [...values, budgets] }];
}

/**
 * Stretches of one scenario, to be told apart on the time axis.
 * @param {Window[]} windows sorted @param {number} begin
 * @returns {{ name: string, from: number, to: number }[]}
 */
function spansOf(windows, begin) {
  /** @type {{ name: string, from: number, to: number }[]} */
  const spans = [];
  for (const { t, scenario } of windows) {
    const last = spans.at(-1);
    if (last?.name === scenario) last.to = t + 1 - begin;
    else spans.push({ name: scenario, from: t - begin, to: t + 1 - begin });
  }
  return spans;
}

/**
 * @param {import('./model').Run} run @param {Recording} recording @param {boolean} atOnce whether scenarios overlap
 */
function drawingOf(run, recording, atOnce) {
  const windows = [...recording.windows].sort((a, b) => a.t - b.t);
  const begin = windows[0]?.t ?? recording.server[0]?.t ?? 0;
  // What was scraped while k6 still read the ids would stand before the axis.
  const server = recording.server.filter(({ t }) => t >= begin);
  // Of each second its own: a spike is allowed more than what is around it.
  const budgets = new Map(run.rows.map(({ scenario, budgetMs }) => [scenario, budgetMs]));
  const seconds = withGaps(windows).map((one) => ({ ...one, budgetMs: budgets.get(one.scenario ?? '') }));
  return {
    charts: [...ladderChart(run.rows), ...loadCharts(seconds, begin), ...drawServer(server, begin)],
    spans: atOnce ? [] : spansOf(windows, begin),
  };
}

module.exports = { drawingOf, spansOf, thin };
