'use strict';
const { findBreakpoint } = require('../lib/search');
const { generatorLimits, misses, shown } = require('./verdict');

/** A rate that breaks does so within seconds. One that holds is held for longer before it counts. */
const probeSeconds = 8;
const sustainedSeconds = 30;
const firstRate = 500;
/** Above it the figures are those of one k6 and not of the service. */
const highestRate = 64_000;

/** @param {import('./verdict').Figures} row @param {number} cores @returns {string} who used the machine */
function cpuText(row, cores) {
  const { cpu, busy } = row.load ?? {};
  const all = { ...cpu, ...(busy !== undefined && { 'all of this machine': busy }) };
  const lines = Object.entries(all).map(([line, value]) => `${line} ${value.toFixed(2)}`);
  const limits = generatorLimits(row, cores);
  const use = lines.length > 0 ? ` (cores in use: ${lines.join(', ')})` : '';
  return limits.length > 0 ? `${use}; the generator is the limit: ${limits.join(', ')}` : use;
}

/**
 * The highest sustained rate of each route.
 * @param {import('./run').Session} session
 * @returns {Promise<import('./run').Outcome>}
 */
async function searchAll({ options, probe, say, cores }) {
  /** @type {import('./launch').Summary[]} */
  const summaries = [];
  /** @type {import('./verdict').Found[]} */
  const found = [];
  for (const route of options.routes) {
    const ask = async (/** @type {number} */ rate, /** @type {boolean} */ sustained) => {
      const seconds = sustained ? sustainedSeconds : probeSeconds;
      const summary = await probe({ ROUTES: route, RATE: String(rate), DURATION: `${seconds}s` });
      summaries.push(summary);
      const broken = summary.rows.filter((row) => misses(row).length > 0);
      const whole = broken.filter((row) => row.route === route); // its parts repeat it
      const why = (whole.length > 0 ? whole : broken).flatMap(misses).join('; ');
      say(`${route} at ${shown(rate)}/s for ${seconds} s: ${why || 'holds'}`);
      return { rate, ok: broken.length === 0, figures: `${rate}/s: ${why}${cpuText(summary.rows[0], cores)}` };
    };
    const { held, broke } = await findBreakpoint({ probe: ask, from: firstRate, limit: highestRate });
    const reason = broke ? broke.figures : 'it holds the highest rate that is tried';
    found.push({ route, held: held?.rate ?? null, broke: broke?.rate ?? null, reason });
  }
  return { rows: summaries.flatMap(({ rows }) => rows), catalog: summaries[0].catalog, found };
}

module.exports = { searchAll };
