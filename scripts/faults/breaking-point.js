'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

/** A rate is sustained while nearly all of it is answered, and in this time. */
const sustainedShare = 0.95;
const sustainedP99Ms = 500;
const growth = 1.25;
const firstRate = 1000;
const highestRate = 60_000;

/**
 * Raises the rate step by step until the chain no longer keeps up.
 * @param {import('./rig').Rig} rig
 * @param {number} stepSeconds
 * @param {Partial<import('../testbed/loadgen/generator').Order>} order
 * @returns {Promise<{ breakingRate: number, peakPerSecond: number }>} the last rate that was sustained, and the most
 *   replies 200 in a second that any step saw
 */
async function findBreakingPoint(rig, stepSeconds, order) {
  let breakingRate = 0;
  let peakPerSecond = 0;
  // Caches and compiled code first: a cold chain breaks early.
  const warming = await rig.startLoad({ ...order, rate: firstRate });
  await sleep(stepSeconds * 1000);
  await warming.stop();
  for (let rate = firstRate; rate < highestRate; rate = Math.round(rate * growth)) {
    const load = await rig.startLoad({ ...order, rate });
    await sleep(stepSeconds * 1000);
    const { asked, ok, p99Ms, okPerSecond } = (await load.stop()).all();
    peakPerSecond = Math.max(peakPerSecond, okPerSecond);
    if (ok < asked * sustainedShare || p99Ms > sustainedP99Ms) break;
    breakingRate = rate;
  }
  return { breakingRate, peakPerSecond };
}

module.exports = { findBreakingPoint };
