'use strict';
const { shownMs } = require('./model');

/** Without a terminal a line each second would bury a log. */
const quietSeconds = 10;

/** @typedef {import('./timeline').Window} Window */

/** @param {Window} window @param {{ errors: number, dropped: number }} sums of its rung */
const text = ({ scenario, rps, p99Ms }, { errors, dropped }) =>
  `${scenario.padEnd(14)} ${String(rps).padStart(6)}/s   p99 ${shownMs(p99Ms).padStart(6)} ms   ` +
  `${errors} errors   ${dropped} dropped`;

/**
 * Tells how a run goes: on a terminal one line that changes, elsewhere a line now and then.
 * @param {{ write: (text: string) => unknown, isTTY?: boolean }} stream
 */
function createProgress(stream) {
  let scenario = '';
  let toldAt = -Infinity;
  const sums = { errors: 0, dropped: 0 };
  return {
    /** @param {Window} window */
    show(window) {
      const next = window.scenario !== scenario;
      if (next) Object.assign(sums, { errors: 0, dropped: 0 });
      scenario = window.scenario;
      sums.errors += window.errors;
      sums.dropped += window.dropped;
      if (stream.isTTY) stream.write(`\r\x1b[K${text(window, sums)}`);
      else if (next || window.t - toldAt >= quietSeconds) {
        stream.write(`${text(window, sums)}\n`);
        toldAt = window.t;
      }
    },
    /** A line that stays. @param {string} line */
    say(line) {
      stream.write(stream.isTTY ? `\r\x1b[K${line}\n` : `${line}\n`);
    },
  };
}

module.exports = { createProgress };
