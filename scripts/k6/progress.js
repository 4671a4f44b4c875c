'use strict';
const { shownMs } = require('./verdict');

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
    /** @param {import('./timeline').Window} window */
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

module.exports = { createProgress };
