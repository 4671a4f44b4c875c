'use strict';

/**
 * One rate, asked of the service for a while.
 * @template T
 * @typedef {{ rate: number, ok: boolean, figures: T }} Probe
 */

/** A share of the rate. */
const precision = 0.05;

/** Shares of a rate that are given up when it breaks though it had held for a moment: the first time, the second… */
const doubling = [0.1, 0.2, 0.4, 0.8];

/**
 * The highest rate that holds: doubled until it breaks, halved between the last that held and the first that broke,
 * then held for longer. A rate that breaks only when it is held is no sustained one: lower ones are held until one does.
 * @template T
 * @param {object} search @param {(rate: number, sustained: boolean) => Promise<Probe<T>>} search.probe
 * @param {number} search.from first rate @param {number} search.limit highest rate that is tried
 * @param {number[]} [search.retreats] the last one counts for all later times
 * @returns {Promise<{ held: Probe<T> | undefined, broke: Probe<T> | undefined }>} `held` was sustained; without
 *   `broke` even the limit holds
 */
async function findBreakpoint({ probe, from, limit, retreats = doubling }) {
  let low = 0;
  /** @type {Probe<T> | undefined} */
  let broke;
  for (let rate = from; !broke && low < limit; rate = Math.min(limit, rate * 2)) {
    const result = await probe(rate, false);
    if (result.ok) low = rate;
    else broke = result;
  }
  while (broke && broke.rate - low > Math.max(1, broke.rate * precision)) {
    const result = await probe(Math.round((low + broke.rate) / 2), false);
    if (result.ok) low = result.rate;
    else broke = result;
  }
  for (let retreat = 0; low >= 1; retreat = Math.min(retreats.length - 1, retreat + 1)) {
    const held = await probe(low, true);
    if (held.ok) return { held, broke };
    broke = held;
    low = Math.floor(low * (1 - retreats[retreat]));
  }
  return { held: undefined, broke };
}

module.exports = { findBreakpoint };
