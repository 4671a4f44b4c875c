'use strict';

/** @typedef {import('./recorder').ServerPoint} ServerPoint */
/** @typedef {{ group: string, line: string, perHour: number, from: number, to: number, ok: boolean }} Growth */

/** Of the run: until then caches fill and the heap finds its size. */
const settling = 1 / 3;

/** What may be gained between settling and end; more is a leak, or a run too short to tell. */
const allowed = { memory: { share: 0.1, least: 16 }, descriptors: { share: 0.1, least: 20 } };

/**
 * Least squares.
 * @param {{ x: number, y: number }[]} points
 * @returns {{ slope: number, at: (x: number) => number }}
 */
function line(points) {
  const mean = (/** @type {'x' | 'y'} */ axis) =>
    points.reduce((total, point) => total + point[axis], 0) / points.length;
  const [x, y] = [mean('x'), mean('y')];
  const spread = points.reduce((total, point) => total + (point.x - x) ** 2, 0);
  const slope = points.reduce((total, point) => total + (point.x - x) * (point.y - y), 0) / spread;
  return { slope, at: (value) => y + slope * (value - x) };
}

/**
 * How memory and descriptors of each worker grow.
 * @param {ServerPoint[]} points
 * @returns {Growth[]} empty when too little was seen
 */
function growthOf(points) {
  const settled = points.slice(Math.floor(points.length * settling));
  if (settled.length < 3) return [];
  return Object.entries(allowed).flatMap(([group, { share, least }]) =>
    Object.keys(settled[0].groups[group] ?? {}).map((name) => {
      const values = settled
        .map(({ t, groups }) => ({ x: t, y: groups[group]?.[name] }))
        .filter(({ y }) => y !== undefined);
      const { slope, at } = line(values);
      const [from, to] = [at(values[0].x), at(values[values.length - 1].x)];
      const ok = to - from <= Math.max(least, from * share);
      return { group, line: name, perHour: slope * 3600, from, to, ok };
    }),
  );
}

/** @typedef {{ line: string, processes: number }} Lives of a worker: how many processes it was, one after the other */

/**
 * A worker that leaks until it is killed begins anew, and its memory shows no growth.
 * @param {ServerPoint[]} points
 * @returns {Lives[]}
 */
function livesOf(points) {
  const starts = points.flatMap(({ groups }) => Object.entries(groups.started ?? {}));
  return [...new Set(starts.map(([line]) => line))].map((line) => ({
    line,
    processes: new Set(starts.filter(([name]) => name === line).map(([, at]) => at)).size,
  }));
}

/** @param {Lives} lives */
const livesText = ({ line: name, processes }) =>
  processes === 1
    ? `${name}: the same process from beginning to end`
    : `${name}: replaced during the run, ${processes} processes one after the other`;

const units = /** @type {Record<string, string>} */ ({ memory: 'MB', descriptors: 'descriptors' });

/** @param {Growth} growth */
const growthText = ({ group, line: name, perHour, from, to }) =>
  `${name}: ${from.toFixed(0)} → ${to.toFixed(0)} ${units[group]}, ${perHour.toFixed(1)} an hour`;

module.exports = { growthOf, growthText, livesOf, livesText };
