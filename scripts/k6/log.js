'use strict';

/** @typedef {{ rows: import('./verdict').Figures[], catalog: { rows: number, known: number } }} Summary as k6/lib/summary.js logs it */

/** So many failures of each step are kept. */
const mostFailures = 5;

/** k6 logs these for each request, or what the verdict says. */
const noise = /^Request Failed$|^thresholds on metrics /;

/** @param {string} text quoted by Go, which has more escapes than JSON */
function unquoted(text) {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}

/**
 * Reads k6's log (logfmt): the figures and failures that the scripts in k6/ log, and k6's own messages.
 * @param {(line: string) => void} say passes on each warning of k6, once
 */
function createLog(say) {
  const said = new Set();
  const log = {
    /** @type {Map<string, string[]>} the first ones of each step */
    failures: new Map(),
    /** @type {Summary | undefined} */
    summary: undefined,
    /** @type {string | undefined} the error that ended k6, without its stack */
    reason: undefined,
    /** @param {string} line */
    add(line) {
      const [, level = 'error', quoted, bare = line] =
        /^time=\S+ level=(\w+) msg=(?:"((?:[^"\\]|\\.)*)"|(\S+))/.exec(line) ?? [];
      const text = quoted === undefined ? bare : unquoted(quoted);
      const [, step, failure] = /^FAILED step=(\S+) (.*)/s.exec(text) ?? [];
      const failures = log.failures.get(step) ?? [];
      if (step) log.failures.set(step, [...failures, failure].slice(0, mostFailures));
      else if (text.startsWith('FIGURES ')) log.summary = JSON.parse(text.slice('FIGURES '.length));
      else if (noise.test(text) || said.has(text)) return;
      else if (level === 'error') log.reason ??= text.split('\n')[0].replace(/^Error: /, '');
      else say(`k6: ${text}`);
      said.add(text);
    },
  };
  return log;
}

module.exports = { createLog };
