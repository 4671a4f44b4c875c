'use strict';
const { table } = require('../lib/markdown');
const { limit, margin, nameOf, verdict } = require('./bars');
const { shown } = require('./text');
/** @import { Bar, Results } from './bars' */

/** Two runs of the same code on one machine differ by up to this share; a smaller loss is no news. */
const noise = 0.1;

/** @param {Results} results @returns {Map<string, { date: string, bar: Bar }>} */
const barsOf = ({ parts }) =>
  new Map(
    Object.values(parts).flatMap(({ name, date, bars }) =>
      bars.map((bar) => [`${name}: ${nameOf(bar)}`, { date, bar }]),
    ),
  );

/** @param {Bar | undefined} old @param {Bar | undefined} now @returns {number} share of the margin; NaN without both */
const changeOf = (old, now) => (old && now ? margin(now) / margin(old) - 1 : NaN);

/** @param {Bar | undefined} old @param {Bar | undefined} now */
function judge(old, now) {
  if (!now || verdict(now) === 'not measured') return 'gone';
  if (!old || verdict(old) === 'not measured') return verdict(now) === 'MISSED' ? 'MISSED' : 'new';
  if (verdict(old) === 'met' && verdict(now) === 'MISSED') return 'REGRESSED';
  const change = changeOf(old, now);
  if (change < -noise) return 'WORSE';
  return change > noise ? 'better' : 'same';
}

/**
 * Ratios and amounts of two runs beside each other: ratios mean something on different machines too.
 * @param {Results} old
 * @param {Results} now
 * @returns {{ text: string, regressed: number }} `regressed`: bars met before and missed now, and those that lost
 *   more than the noise
 */
function compare(old, now) {
  const before = barsOf(old);
  const after = barsOf(now);
  const rows = [...new Set([...before.keys(), ...after.keys()])].map((name) => {
    const [first, second] = [before.get(name), after.get(name)];
    const [was, is] = [first?.bar, second?.bar];
    // A part that failed, or was not asked for, keeps its last figures.
    const told = first && first.date === second?.date ? 'not run again' : judge(was, is);
    const percent = shown(changeOf(was, is) * 100);
    const bar = /** @type {Bar} */ (is ?? was);
    return [name, limit(bar), shown(was?.is, 2), shown(is?.is, 2), percent && `${percent} %`, told];
  });
  const isLoss = (/** @type {string[]} */ row) => /REGRESSED|WORSE|MISSED/.test(row[5]);
  const sorted = [...rows.filter(isLoss), ...rows.filter((row) => !isLoss(row))];
  return {
    text: table(['figure', 'bar', 'before', 'now', 'change', ''], sorted),
    regressed: rows.filter(isLoss).length,
  };
}

module.exports = { compare };
