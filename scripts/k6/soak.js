'use strict';

/** @typedef {import('./recorder').ServerPoint} ServerPoint */
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

/** @param {import('./recorder').Recording} recording */
function soakOf({ server, windows }) {
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

module.exports = { growthText, livesText, soakOf, soakReasons };
