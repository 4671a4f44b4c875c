'use strict';

/**
 * The figures of one row, as k6/lib/summary.js writes them.
 * @typedef {object} Figures
 * @property {string} scenario
 * @property {string} route
 * @property {number} [rate] requests a second that were asked for
 * @property {number} [seconds]
 * @property {number} budgetMs
 * @property {number} requests
 * @property {number} [rps] right answers a second
 * @property {number} p50Ms
 * @property {number} p90Ms
 * @property {number} p95Ms
 * @property {number} p99Ms
 * @property {number} maxMs
 * @property {number} errors
 * @property {number} [compared] replies whose content was compared; where it is less than `requests`, `errors` is the least
 * @property {number} [outdated] replies that differ from data that was served before them; not among the errors
 * @property {number} [dropped] of a mix only the whole has them: what is dropped never drew its route
 * @property {number} [lateMs] p99 of how late k6 sent them, which is in no other time; only where it dropped none
 * @property {string[]} missed k6's thresholds
 */

/**
 * The answer of a search.
 * @typedef {{ route: string, held: number | null, broke: number | null, reason: string }} Found `reason` it broke
 */

/**
 * All that is kept of a run; summary.json holds it.
 * @typedef {object} Run
 * @property {string} test
 * @property {string} question
 * @property {string} started ISO 8601
 * @property {number} seconds
 * @property {string} url
 * @property {string} machine
 * @property {string} k6 version
 * @property {{ rows: number, known: number }} catalog
 * @property {{ source: 'database' | 'routes', changedAt?: string }} [content] what the content of replies was compared with
 * @property {Figures[]} rows
 * @property {Found[]} [found]
 * @property {import('./growth').Growth[]} [growth] of a soak
 * @property {import('./growth').Lives[]} [lives] of a soak
 * @property {number} [silentS] of a soak: seconds from the last word of all workers to its end
 * @property {Record<string, number>} failures replies that were not 200, by status or k6's error code
 * @property {boolean} [interrupted] its last rows are of less time than they say
 * @property {boolean} ok
 * @property {string[]} reasons why it is not ok
 */

/** @param {number} value @param {number} [digits] */
const shown = (value, digits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Three digits are what such a measurement is good for. @param {number | undefined} ms */
const shownMs = (ms) => (ms === undefined ? '' : shown(ms, ms < 10 ? 2 : ms < 100 ? 1 : 0));

/** @param {Pick<Figures, 'scenario' | 'route' | 'rate'>} row */
const nameOf = ({ scenario, route, rate }) => (rate === undefined ? `${scenario} ${route}` : scenario);

/**
 * A search holds the rate that it found once more: there only its seconds tell a row from the other of its name.
 * @param {Run} run @param {Figures} row @returns {string} a name that no other row of the run has
 */
const nameIn = ({ found }, row) => (found ? `${nameOf(row)} for ${row.seconds} s` : nameOf(row));

/** Of a sample only the least is known. @param {Figures} row */
const isLeast = ({ errors, requests, compared = requests }) => errors > 0 && compared < requests && errors < requests;

/** k6's metric names, and what a person is told instead. @type {Record<string, (row: Figures) => string>} */
const explanations = {
  http_req_duration: (row) => `p99 ${shownMs(row.p99Ms)} ms, allowed ${row.budgetMs} ms`,
  errors: (row) =>
    `${isLeast(row) ? 'at least ' : ''}${shown(row.errors)} of ${shown(row.requests)} replies failed or were wrong`,
  http_reqs: (row) =>
    row.rate ? `only ${shown(row.requests / (row.seconds ?? NaN), 1)} of ${row.rate} requests a second` : 'no request',
  dropped_iterations: (row) => `${shown(row.dropped ?? 0)} requests could not be sent in time`,
};

/** @param {Figures} row @returns {string[]} */
const misses = (row) => row.missed.map((text) => explanations[text.split(' ')[0]]?.(row) ?? text);

/** @param {Figures[]} rows @returns {string[]} one line for each row that missed something */
const reasonsOf = (rows) =>
  rows.filter((row) => row.missed.length > 0).map((row) => `${nameOf(row)}: ${misses(row).join('; ')}`);

module.exports = { isLeast, misses, nameIn, reasonsOf, shown, shownMs };
