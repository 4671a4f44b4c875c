'use strict';
const { Histogram } = require('./histogram');

/** k6 writes a sample when its request has ended, or, told so, up to a second later; then none of a window can come any more. */
const lateSeconds = 3;

/** Of no rung: the setup's reading, what is sent to warm up, and what is asked only to compare a reply with it. */
const uncounted = ['', 'warm-up', 'beside'];

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
  /** @type {Map<string, import('./forgive').Differing>} of each second, scenario and route */
  const differing = new Map();

  /** @param {import('./forgive').Differing} one */
  function addDiffering({ count, ...place }) {
    const key = Object.values(place).join();
    differing.set(key, { ...place, count: (differing.get(key)?.count ?? 0) + count });
  }

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
    /** @returns {import('./forgive').Differing[]} since the last time */
    takeDiffering() {
      const taken = [...differing.values()];
      differing.clear();
      return taken;
    },
    /** @param {import('./samples').Sample} sample */
    add({ metric, second, value, scenario, status, errorCode, name }) {
      if (uncounted.includes(scenario)) return;
      if (metric === 'differing') return addDiffering({ second, scenario, route: name, count: value });
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
