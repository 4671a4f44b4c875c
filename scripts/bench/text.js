'use strict';
const { table } = require('../lib/markdown');
const { limit, nameOf, verdict, worstOfRoutes } = require('./bars');
/** @import { Bar, MeasuredPart, Results, Row } from './bars' */

/** @param {number | null | undefined} value @param {number} [digits] */
const shown = (value, digits = 0) =>
  typeof value === 'number' && Number.isFinite(value)
    ? value.toLocaleString('en-US', { maximumFractionDigits: digits })
    : '';

const columns = /** @type {const} */ ([
  ['requests/s', 'rps', 0],
  ['p99 ms', 'p99Ms', 2],
  ['seconds', 'seconds', 1],
  ['memory MB', 'memoryMb', 0],
  ['disk MB', 'diskMb', 0],
  ['CPU µs', 'cpuUs', 1],
  ['queries', 'queries', 0],
  ['errors', 'errors', 0],
]);

/** @param {Row[]} rows */
function figures(rows) {
  const used = columns.filter(([, key]) => rows.some((row) => row[key] !== undefined));
  return table(
    ['route', 'what', ...used.map(([head]) => head)],
    rows.map((row) => [row.route, row.what, ...used.map(([, key, digits]) => shown(row[key], digits))]),
  );
}

/** @param {Bar} bar */
const judged = (bar) => [limit(bar), shown(bar.is, 2), verdict(bar)];

/** @param {MeasuredPart} part @returns {string} Markdown */
function partText({ name, rows, bars, products, date, stolenPercent }) {
  const judgements = table(
    ['figure', 'bar', 'measured', ''],
    bars.map((bar) => [nameOf(bar), ...judged(bar)]),
  );
  const stolen = Number.isFinite(stolenPercent) ? `; the host took ${shown(stolenPercent, 1)} %` : '';
  return `## ${name}\n\n${shown(products)} products; ${date}${stolen}\n\n${figures(rows)}\n\n${judgements}\n`;
}

/** @param {Results} results @returns {string} the whole report, as Markdown */
const reportText = ({ machine, parts }) =>
  `# Measured\n\n${machine}\n\n![requests a second](bench.svg)\n\n${Object.values(parts).map(partText).join('\n')}`;

/** One line for each contestant, one column for each route. @param {MeasuredPart} part */
function byRoute({ name, rows }) {
  const routes = [...new Set(rows.map(({ route }) => route))];
  /** @param {string} what */
  const bare = (what) => what.replace(/, (list|product|styles|related)$/, '');
  const contestants = [...new Set(rows.map(({ what }) => bare(what)))];
  return table(
    [`${name}: requests a second`, ...routes],
    contestants.map((what) => [
      what,
      ...routes.map((route) => shown(rows.find((row) => row.route === route && bare(row.what) === what)?.rps)),
    ]),
  );
}

/** @param {Bar} bar */
const isErrors = ({ what }) => what.startsWith('errors');

/** @param {Results} results @returns {string} what the README tells of them: each bar, and that there were no errors in one line */
function summaryText({ machine, parts }) {
  const all = Object.values(parts);
  const worst = all.flatMap(({ name, bars }) => worstOfRoutes(bars).map((bar) => ({ name, bar })));
  const sound = worst.filter(({ bar }) => isErrors(bar) && verdict(bar) === 'met');
  const bars = table(
    ['part', 'figure, by the worst route', 'bar', 'measured', ''],
    worst.filter((one) => !sound.includes(one)).map(({ name, bar }) => [`\`${name}\``, bar.what, ...judged(bar)]),
  );
  const sizes = [...new Set(all.map(({ products }) => shown(products)))].join(' and ');
  const days = [...new Set(all.map(({ date }) => date.slice(0, 10)))].sort().join(', ');
  const withoutErrors = sound.map(({ name }) => `\`${name}\``).join(', ');
  return [
    `${machine}; ${sizes} products; ${days}.`,
    bars,
    ...(sound.length > 0 ? [`Parts whose bar is no error, and that met it: ${withoutErrors}.`] : []),
  ].join('\n\n');
}

/** @param {Results} results @returns {string} the figures behind the bars */
function figuresText({ parts }) {
  const all = Object.values(parts);
  const taken = all
    .filter(({ stolenPercent }) => Number.isFinite(stolenPercent))
    .map(({ name, stolenPercent }) => `\`${name}\` ${shown(stolenPercent, 1)} %`);
  const pivots = all.filter(({ name }) => ['hot', 'cold'].includes(name)).map(byRoute);
  const rest = all.filter(({ name }) => ['load', 'mix', 'steady'].includes(name));
  return [
    ...pivots,
    ...rest.map(({ rows }) => figures(rows)),
    ...(taken.length > 0
      ? [`Of the processor time that a part asked for, the host gave to others: ${taken.join(', ')}.`]
      : []),
  ].join('\n\n');
}

module.exports = { figuresText, reportText, shown, summaryText };
