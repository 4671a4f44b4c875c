'use strict';
/* Runs in the page: draws the charts of the embedded data with uPlot, whose script comes before this one. */

const Plot = /** @type {any} */ (globalThis).uPlot;

/** @type {ReturnType<typeof import('../page').drawingOf>} */
const { x, charts, steps } = JSON.parse(document.getElementById('data')?.textContent ?? '');
const section = /** @type {HTMLElement} */ (document.getElementById('charts'));

const colours = ['#1f66c1', '#d9730d', '#15803d', '#a21caf', '#64748b', '#8b5e34'];
const limitColour = '#b3261e';
/** The same for all charts, so that their time axes are aligned. */
const axisWidth = 64;
const logarithmic = 3; // uPlot's distr

/** @param {number} seconds */
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** @param {number | null | undefined} value */
const plain = (value) => value?.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 }) ?? '';

/** Shades every second step and names each that has room. @param {any} plot */
function drawSteps({ ctx, bbox, valToPos }) {
  const starts = steps.flatMap((name, at) => (name && name !== steps[at - 1] ? [{ name, at }] : []));
  ctx.save();
  ctx.font = `${10 * devicePixelRatio}px system-ui, sans-serif`;
  starts.forEach(({ name, at }, n) => {
    const end = starts[n + 1]?.at ?? x.length;
    const [left, right] = [at, end].map((second) => valToPos(second, 'x', true));
    ctx.fillStyle = n % 2 ? 'transparent' : '#8894a61c';
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    ctx.fillStyle = '#5c6675';
    if (ctx.measureText(name).width < right - left) ctx.fillText(name, left, bbox.top - 4 * devicePixelRatio);
  });
  ctx.restore();
}

for (const { title, unit, log, lines } of charts) {
  const figure = document.createElement('figure');
  const heading = document.createElement('h2');
  heading.textContent = `${title} (${unit}${log ? ', logarithmic' : ''})`;
  section.append(heading, figure);
  const series = lines.map(({ name }, n) => ({
    label: name,
    stroke: name === 'budget' ? limitColour : colours[n % colours.length],
    dash: name === 'budget' ? [6, 4] : undefined,
    width: 1.5,
    points: { show: x.length < 30, size: 5 },
    value: (/** @type {any} */ _, /** @type {number | null} */ value) => plain(value),
  }));
  const options = {
    width: section.clientWidth - 80,
    height: 190,
    padding: [16, 24, 0, 0],
    cursor: { drag: { x: false, y: false }, sync: { key: 'time' } },
    scales: {
      x: { time: false, range: [0, Math.max(1, x.length)] },
      y: log
        ? { distr: logarithmic }
        : { range: (/** @type {any} */ _, /** @type {any} */ __, /** @type {number} */ max) => [0, (max || 1) * 1.08] },
    },
    series: [{ label: 'time', value: (/** @type {any} */ _, /** @type {number} */ at) => clock(at ?? 0) }, ...series],
    axes: [
      { values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map(clock), size: 30 },
      { values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map(plain), size: axisWidth },
    ],
    hooks: { drawClear: [drawSteps] },
  };
  // A logarithm has no zero.
  const values = lines.map(({ values }) => (log ? values.map((value) => value || null) : values));
  new Plot(options, [x, ...values], figure);
}
