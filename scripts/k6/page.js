'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { tests } = require('./options');

/** @typedef {import('./recorder').Recording} Recording */
/** @typedef {{ title: string, unit: string, log?: boolean, lines: { name: string, values: (number | null)[] }[] }} Chart `budget` is a limit */

const charts = [
  { group: 'latency', title: 'Traffic: latency', unit: 'ms', log: true },
  { group: 'traffic', title: 'Traffic: replies', unit: 'requests/s' },
  { group: 'reads', title: 'Service: replies by cache tier', unit: 'replies/s' },
  { group: 'cpu', title: 'CPU', unit: 'cores' },
  { group: 'lag', title: 'Service: event-loop lag, p99 (10 is none)', unit: 'ms' }, // the monitor's own pause is 10 ms
  { group: 'pool', title: 'Service: queries that wait for PostgreSQL', unit: 'queries' },
  { group: 'memory', title: 'Service: memory', unit: 'MB' },
  { group: 'descriptors', title: 'Service: open descriptors', unit: 'descriptors' },
  { group: 'refused', title: 'Service: requests refused with 503', unit: 'requests/s' },
];

/** @param {number | undefined} value @returns {number | null} as JSON can write it */
const finite = (value) => (Number.isFinite(value) ? Number(value) : null);

/** @param {import('./timeline').Window} window @param {number | undefined} budget @returns {import('./server-figures').Groups} */
const trafficOf = ({ p50Ms, p99Ms, maxMs, rps, errors, dropped }, budget) => ({
  latency: { p50: p50Ms, p99: p99Ms, max: maxMs, budget: budget ?? NaN },
  traffic: { 'answered 200': rps, errors, dropped },
});

/** Adds what nginx answered: k6 counts it and no worker does. @param {import('./server-figures').Groups} groups @param {number | undefined} rps */
const withNginx = (groups, rps) =>
  rps === undefined || groups.replies?.ok === undefined
    ? groups
    : { ...groups, reads: { 'nginx (L0)': Math.max(0, rps - groups.replies.ok), ...groups.reads } };

/**
 * Traffic and service on one axis of seconds, with gaps where nothing was seen.
 * @param {Pick<import('./verdict').Run, 'rows' | 'test'>} run @param {Recording} recording
 * @returns {{ x: number[], charts: Chart[], steps: (string | undefined)[] }} `steps`: of each second, to shade
 */
function drawingOf({ rows, test }, { windows, server }) {
  const [begin, end] = [windows[0]?.t ?? 0, windows.at(-1)?.t ?? -1];
  const x = Array.from({ length: end - begin + 1 }, (_, second) => second);
  const seen = new Map(windows.map((window) => [window.t - begin, window]));
  // A point covers the second before it.
  const points = new Map(server.map(({ t, groups }) => [Math.round(t) - 1 - begin, groups]));
  const budgets = new Map(rows.map(({ scenario, budgetMs }) => [scenario, budgetMs]));
  const seconds = x.map((second) => {
    const window = seen.get(second);
    const service = withNginx(points.get(second) ?? {}, window?.rps);
    return window ? { ...service, ...trafficOf(window, budgets.get(window.scenario)) } : service;
  });
  const drawn = charts.map(({ group, ...chart }) => {
    const names = [...new Set(seconds.flatMap((groups) => Object.keys(groups[group] ?? {})))];
    const valuesOf = (/** @type {string} */ name) => seconds.map((groups) => finite(groups[group]?.[name]));
    return { ...chart, lines: names.map((name) => ({ name, values: valuesOf(name) })) };
  });
  const steps = tests[test]?.atOnce ? [] : x.map((second) => seen.get(second)?.scenario);
  return { x, charts: drawn.filter(({ lines }) => lines.length > 0), steps };
}

/** @param {string} file */
const read = (file) => fs.readFileSync(file, 'utf8');
const library = (/** @type {string} */ name) => read(path.join(path.dirname(require.resolve('uplot')), name));

/** @param {string} text @returns {string} */
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * One file that needs no network. The charts are drawn when it is opened.
 * @param {import('./verdict').Run} run @param {Recording} recording @param {string} text the report
 * @returns {string} HTML
 */
const page = (run, recording, text) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escape(`${run.test} ${run.started.slice(0, 16)}`)}</title>
<style>${library('uPlot.min.css')}
body { margin: 1.5rem auto; max-width: 1400px; font-family: system-ui, sans-serif }
pre { border-left: 6px solid #157a3c; padding: 1rem; background: #f6f7f9; overflow-x: auto; font-size: 12px }
pre.failed { border-color: #b3261e }
h2 { margin: 1.2rem 0 0; font-size: 1rem }
.u-legend { font-size: 0.8rem; text-align: left }
</style>
<pre class="${run.ok ? 'held' : 'failed'}">${escape(text)}</pre>
<section id="charts"></section>
<script type="application/json" id="data">${JSON.stringify(drawingOf(run, recording)).replaceAll('<', '\\u003c')}</script>
<script>${library('uPlot.iife.min.js')}
${read(path.join(__dirname, 'report/browser.js'))}</script>
</html>
`;

module.exports = { drawingOf, page };
