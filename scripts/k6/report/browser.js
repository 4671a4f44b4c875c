'use strict';
/* Runs in the page: draws the charts of the embedded data with uPlot, whose script stands before this one. */

const Plot = /** @type {any} */ (globalThis).uPlot;

/** @type {{ charts: import('../charts').Chart[], spans: { name: string, from: number, to: number }[] }} */
const { charts, spans } = JSON.parse(document.getElementById('data')?.textContent ?? '');
const section = /** @type {HTMLElement} */ (document.getElementById('charts'));

const height = 200;
/** Wide enough for the longest number, and the same for all, so that the time axes stand below one another. */
const axisWidth = 64;
/** A sheet of paper in CSS pixels, without its margins. */
const paperWidth = 680;
const logarithmic = 3; // uPlot's distr

/** @param {string} name */
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** @param {number} seconds */
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** @param {number | null} value @param {string} unit */
const withUnit = (value, unit) =>
  value === null || value === undefined
    ? '–'
    : `${value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })} ${unit}`;

/** Every second stretch is shaded, and each that has room says above the plot what it is. @param {any} plot */
function drawSpans(plot) {
  const { ctx, bbox } = plot;
  const pixels = devicePixelRatio;
  ctx.save();
  ctx.font = `${10 * pixels}px system-ui, sans-serif`;
  ctx.textBaseline = 'bottom';
  spans.forEach(({ name, from, to }, n) => {
    const [left, right] = [from, to].map((x) => plot.valToPos(x, 'x', true));
    ctx.fillStyle = n % 2 ? 'transparent' : color('band');
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    if (ctx.measureText(name).width > right - left) return;
    ctx.fillStyle = color('faint');
    ctx.fillText(name, left, bbox.top - 2 * pixels);
  });
  ctx.restore();
}

/** @param {import('../charts').Chart} chart */
function seriesOf({ over, unit, names, values }) {
  const isTime = over === 'time';
  const limitOf = (/** @type {(number | null)[]} */ values) => ({
    label: `budget ${[...new Set(values)].filter(Boolean).join(', ')} ${unit}`,
    stroke: color('failed'),
    dash: [6, 4],
    width: 1,
    points: { show: false },
    value: () => '',
  });
  const lines = names.map((name, n) => ({
    label: name,
    stroke: color(`line-${n % 6}`),
    width: 1.5,
    points: { show: !isTime, size: 6 },
    spanGaps: !isTime,
    value: (/** @type {any} */ _, /** @type {number | null} */ value) => withUnit(value, unit),
    ...(name === 'budget' ? limitOf(values[n]) : {}),
  }));
  const x = {
    label: isTime ? 'time' : 'asked',
    value: (/** @type {any} */ _, /** @type {number | null} */ value) =>
      value === null ? '–' : isTime ? clock(value) : withUnit(value, 'requests/s'),
  };
  return [x, ...lines];
}

/** Only powers of ten and their halves are told on a logarithmic axis. @param {number | null} value */
const plain = (value) => (value === null ? '' : value.toLocaleString('en-US'));

/** @param {import('../charts').Chart} chart */
function axesOf({ over, unit }) {
  const look = {
    stroke: color('faint'),
    grid: { stroke: color('rule'), width: 1 },
    ticks: { stroke: color('rule'), width: 1 },
    font: '11px system-ui, sans-serif',
    labelFont: '11px system-ui, sans-serif',
    labelSize: 18,
  };
  const time = {
    label: 'minutes:seconds since the first request',
    values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map(clock),
    incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200],
  };
  const rate = {
    label: 'requests/s asked for',
    values: (/** @type {any} */ _, /** @type {(number | null)[]} */ ticks) => ticks.map(plain),
  };
  const y = {
    label: unit,
    size: axisWidth,
    values: (/** @type {any} */ _, /** @type {(number | null)[]} */ ticks) => ticks.map(plain),
  };
  return [
    { ...look, size: 34, ...(over === 'time' ? time : rate) },
    { ...look, ...y },
  ];
}

/** @param {import('../charts').Chart} chart @param {HTMLElement} figure @param {number} width */
function draw(chart, figure, width) {
  const { over, log, x, values } = chart;
  const isTime = over === 'time';
  const options = {
    width,
    height,
    padding: [16, 24, 0, 0],
    cursor: { drag: { x: false, y: false }, sync: isTime ? { key: 'time' } : undefined },
    scales: {
      x: isTime ? { time: false, range: [0, lastSecond] } : { time: false, distr: logarithmic },
      y: log
        ? { distr: logarithmic }
        : {
            range: (/** @type {any} */ _, /** @type {number} */ __, /** @type {number} */ max) => [
              0,
              (max || 1) * 1.08,
            ],
          },
    },
    series: seriesOf(chart),
    axes: axesOf(chart),
    hooks: { drawClear: isTime ? [drawSpans] : [] },
  };
  // A logarithm has no zero.
  const lines = log ? values.map((list) => list.map((value) => value || null)) : values;
  return new Plot(options, [x, ...lines], figure);
}

const lastSecond = Math.max(1, ...charts.filter(({ over }) => over === 'time').map(({ x }) => x.at(-1) ?? 0));

const figures = charts.map((chart) => {
  const figure = document.createElement('figure');
  const heading = document.createElement('h3');
  const unit = document.createElement('span');
  unit.textContent = ` ${chart.unit}${chart.log ? ', logarithmic' : ''}`;
  heading.append(chart.title, unit);
  figure.append(heading);
  section.append(figure);
  return { chart, figure };
});

/** @type {any[]} */
let plots = [];

/** Colours are part of the picture, so another scheme means another picture. @param {number} width */
function drawAll(width) {
  plots.forEach((plot) => plot.destroy());
  plots = figures.map(({ chart, figure }) => draw(chart, figure, width));
}

const screenWidth = () => section.clientWidth;
drawAll(matchMedia('print').matches ? paperWidth : screenWidth());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawAll(screenWidth()));
matchMedia('print').addEventListener('change', ({ matches }) => drawAll(matches ? paperWidth : screenWidth()));
addEventListener('resize', () => drawAll(screenWidth()));
