'use strict';
const { Histogram } = require('./histogram');

/** k6 writes a sample when its request has ended, or, told so, up to a second later; then none of a window can come any more. */
const lateSeconds = 3;

/** Of no rung: what is sent to warm up, and the setup's reading. */
const isCounted = (/** @type {string} */ scenario) => scenario !== '' && scenario !== 'warm-up';

/**
 * One second. Times and rate are those of replies with status 200.
 * @typedef {object} Window
 * @property {number} t seconds since the epoch
 * @property {string} scenario that most of them belong to
 * @property {number} rps
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} p99Ms
 * @property {number} maxMs
 * @property {number} errors
 * @property {number} dropped
 */

const open = () => ({
  /** @type {Map<string, number>} samples of each scenario */
  scenarios: new Map(),
  histogram: new Histogram(),
  errors: 0,
  dropped: 0,
});

/** @param {Map<string, number>} counts @returns {string} the one with most */
const commonest = (counts) => [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))[0];

/**
 * Turns samples into windows as they come: what is held at any time is the last few histograms.
 * @param {(window: Window) => void} onWindow
 */
function createTimeline(onWindow) {
  /** @type {Map<number, ReturnType<typeof open>>} */
  const windows = new Map();
  /** @type {Map<string, number>} what failed replies said, by status or k6's error code */
  const failures = new Map();

  /** @param {number} before seconds since the epoch */
  function close(before) {
    for (const t of [...windows.keys()].sort((a, b) => a - b)) {
      if (t >= before) return;
      const window = /** @type {ReturnType<typeof open>} */ (windows.get(t));
      const { histogram, errors, dropped } = window;
      windows.delete(t);
      const [p50Ms, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) => histogram.percentile(share));
      const { maxMs } = histogram;
      const scenario = commonest(window.scenarios);
      onWindow({ t, scenario, rps: histogram.count, p50Ms, p95Ms, p99Ms, maxMs, errors, dropped });
    }
  }

  return {
    failures,
    /** @param {import('./samples').Sample} sample */
    add({ metric, second, value, scenario, status, errorCode }) {
      if (!isCounted(scenario)) return;
      let window = windows.get(second);
      if (!window) {
        windows.set(second, (window = open()));
        close(second - lateSeconds);
      }
      window.scenarios.set(scenario, (window.scenarios.get(scenario) ?? 0) + 1);
      if (metric === 'errors') window.errors += value;
      else if (metric === 'dropped_iterations') window.dropped += value;
      else {
        if (status === '200') window.histogram.add(value);
        const failure = status === '200' ? '' : status === '0' ? `error ${errorCode}` : status;
        if (failure) failures.set(failure, (failures.get(failure) ?? 0) + 1);
      }
    },
    end: () => close(Infinity),
  };
}

module.exports = { createTimeline };
