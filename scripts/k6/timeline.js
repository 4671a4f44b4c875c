'use strict';
const { quantile } = require('../lib/quantile');
const { shownMs } = require('./verdict');

/* Turns k6's CSV stream into one window a second, for the progress line and the cache tiers. Other figures are k6's own. */

/** The other metrics of each request are skipped unparsed. */
const wanted = /^(http_req_duration|errors|dropped_iterations|differing),/;

/** k6 writes a sample up to a second after its request has ended; after three seconds none is missing. */
const lateSeconds = 3;

/** Outside of all steps: the setup, the warm-up, and requests that are only sent to compare a reply with. */
const uncounted = ['', 'warm-up', 'beside'];

/**
 * One second. `t`: since the epoch. `scenario`: of most samples. `p99Ms` and `rps` are those of replies with status 200.
 * @typedef {{ t: number, scenario: string, rps: number, p99Ms: number, errors: number, dropped: number }} Window
 */

/** @typedef {{ scenarios: Map<string, number>, times: number[], errors: number, dropped: number }} Open a window that samples still reach */
/** @param {Map<string, number>} counts @param {string} key */
const add = (counts, key) => void counts.set(key, (counts.get(key) ?? 0) + 1);

/** @param {number} t @param {Open} window @returns {Window} */
function closed(t, { scenarios, times, errors, dropped }) {
  const sorted = Float64Array.from(times).sort();
  const [scenario] = [...scenarios].reduce((a, b) => (b[1] > a[1] ? b : a));
  return { t, scenario, rps: sorted.length, p99Ms: quantile(sorted, 0.99), errors, dropped };
}

/** @param {(window: Window) => void} onWindow in order of time */
function createTimeline(onWindow) {
  /** @type {Map<number, Open>} */
  const windows = new Map();
  /** @type {Map<string, number>} replies that were not 200, by status or k6's error code */
  const statuses = new Map();
  /** @type {Map<string, import('./content').Differing>} by second, scenario and route */
  const differing = new Map();
  /** @type {string[]} */
  let columns = [];

  /** @param {number} before seconds since the epoch */
  function close(before) {
    for (const [t, window] of [...windows].sort(([a], [b]) => a - b)) {
      if (t >= before) return;
      windows.delete(t);
      onWindow(closed(t, window));
    }
  }

  /** @param {string} line no field before its extra tags contains a comma */
  function read(line) {
    const fields = line.split(',');
    const of = (/** @type {string} */ name) => fields[columns.indexOf(name)];
    const [metric, second, value, scenario] = [fields[0], Number(fields[1]), Number(fields[2]), of('scenario')];
    if (uncounted.includes(scenario)) return;
    if (metric === 'differing') {
      const [route, key] = [of('name'), `${second} ${scenario} ${of('name')}`];
      const before = differing.get(key)?.count ?? 0;
      return void differing.set(key, { second, scenario, route, count: before + value });
    }
    /** @type {Open} */
    const window = windows.get(second) ?? { scenarios: new Map(), times: [], errors: 0, dropped: 0 };
    if (!windows.has(second)) close(second - lateSeconds);
    windows.set(second, window);
    add(window.scenarios, scenario);
    if (metric === 'errors') window.errors += value;
    else if (metric === 'dropped_iterations') window.dropped += value;
    else if (of('status') === '200') window.times.push(value);
    else add(statuses, of('status') === '0' ? `error ${of('error_code')}` : of('status'));
  }

  return {
    statuses,
    /** @param {string} line that k6 printed @returns {boolean} whether it belongs to the stream */
    add(line) {
      if (line.startsWith('metric_name,')) columns = line.split(',');
      else if (wanted.test(line)) read(line);
      return /^\w+,(\d+|timestamp),/.test(line);
    },
    end: () => close(Infinity),
    /** @returns {import('./content').Differing[]} since the last call */
    takeDiffering() {
      const taken = [...differing.values()];
      differing.clear();
      return taken;
    },
  };
}

/** Without a terminal a line each second would bury a log. */
const quietSeconds = 10;

/**
 * Shows the progress of a run: on a terminal one line that changes, elsewhere a line now and then.
 * @param {{ write: (text: string) => unknown, isTTY?: boolean }} stream
 */
function createProgress(stream) {
  let [step, errors, dropped, shownAt] = ['', 0, 0, -Infinity];
  const write = (/** @type {string} */ line, end = '\n') =>
    stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${line}${end}`);
  return {
    /** @param {Window} window */
    show(window) {
      if (window.scenario !== step) [step, errors, dropped, shownAt] = [window.scenario, 0, 0, -Infinity];
      errors += window.errors;
      dropped += window.dropped;
      const figures = `${String(window.rps).padStart(6)}/s   p99 ${shownMs(window.p99Ms).padStart(6)} ms`;
      const line = `${step.padEnd(14)} ${figures}   ${errors} errors   ${dropped} dropped`;
      if (stream.isTTY) return void write(line, '');
      if (window.t - shownAt < quietSeconds) return;
      shownAt = window.t;
      write(line);
    },
    /** A line that stays. @param {string} line */
    say: (line) => void write(line),
  };
}

module.exports = { createProgress, createTimeline };
