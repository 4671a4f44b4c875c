'use strict';
const { findBreakpoint } = require('../lib/search');
const { misses, shown } = require('./model');

/** A rate that breaks does so within seconds; one that holds is held for longer before it counts. */
const probeSeconds = 8;
const sustainedSeconds = 30;
const firstRate = 500;

/** Above it one k6 is measured and not the service. */
const highestRate = 64_000;

/** @param {import('./recorder').ServerPoint[]} points @returns {string} who used the machine */
function cpuText(points) {
  const lines = [...new Set(points.flatMap(({ groups }) => Object.keys(groups.cpu ?? {})))];
  const means = lines.map((line) => {
    const values = points.flatMap(({ groups }) => groups.cpu?.[line] ?? []);
    return `${line} ${(values.reduce((a, b) => a + b, 0) / values.length).toFixed(2)}`;
  });
  return means.length > 0 ? ` (cores in use: ${means.join(', ')})` : '';
}

/**
 * What was scraped while the rate was asked for: k6's start, its reading of ids and its warm-up, which have no windows, would dilute it.
 * @param {import('./charts').Recording} recording @param {number} from of its windows
 */
function underLoad({ server, windows }, from) {
  const seconds = windows.slice(from).map(({ t }) => t);
  const [first, last] = [Math.min(...seconds), Math.max(...seconds)];
  return server.filter(({ t }) => t >= first + 1 && t <= last + 1); // a point tells of the second before it
}

/**
 * The highest sustained rate of each route that is asked for.
 * @param {import('./runs').Session} session
 * @returns {Promise<import('./runs').Outcome>}
 */
async function searchAll({ options, probe, recording, say }) {
  /** @type {import('./launch').Summary[]} */
  const summaries = [];
  /** @type {import('./model').Found[]} */
  const found = [];

  /** @param {string} route */
  const askAt = (route) => async (/** @type {number} */ rate, /** @type {boolean} */ sustained) => {
    const from = recording.windows.length;
    const summary = await probe({
      ROUTES: route,
      RATE: String(rate),
      DURATION: `${sustained ? sustainedSeconds : probeSeconds}s`,
    });
    summaries.push(summary);
    const broken = summary.rows.filter((row) => row.missed.length > 0);
    const whole = broken.filter((row) => row.route === route); // its parts say the same once more
    const why = (whole.length > 0 ? whole : broken).flatMap(misses).join('; ');
    say(`${route} at ${shown(rate)}/s for ${sustained ? sustainedSeconds : probeSeconds} s: ${why || 'holds'}`);
    const figures = `${rate}/s: ${why}${cpuText(underLoad(recording, from))}`;
    return { rate, ok: broken.length === 0, figures };
  };

  for (const route of options.routes) {
    const search = { probe: askAt(route), from: firstRate, limit: highestRate };
    const { held, broke } = await findBreakpoint(search);
    const reason = broke ? broke.figures : `it holds the highest rate that is tried`;
    found.push({ route, held: held?.rate ?? null, broke: broke?.rate ?? null, reason });
  }
  return { rows: summaries.flatMap(({ rows }) => rows), catalog: summaries[0].catalog, found };
}

module.exports = { searchAll };
