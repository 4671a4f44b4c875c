'use strict';
const { spawn } = require('node:child_process');
const path = require('node:path');
const readline = require('node:readline');
const { environment } = require('../lib/environment');
const { callerFolder } = require('../lib/command-line');
const { scriptOf } = require('./options');

/** A threshold was missed: the run is complete and its figures count (k6/errext/exitcodes). */
const thresholdsMissed = 99;

/** k6 may fill this share of the free memory before it collects garbage. */
const heapShare = 1 / 4;
/** With less, its live heap (80 to 500 MB) is most of it, and k6 does nothing but collect. */
const leastHeapMb = 1024;
/** k6's default of 1 s writes 17,000 lines at once at 1,000 requests/s, which holds a core for longer than a reply takes. */
const samplesEvery = '20ms';

/**
 * How rarely k6 collects garbage. A collection takes both cores of a small machine for 0.1 s, also from a service there.
 * @param {number} availableBytes
 * @returns {Record<string, string>} Go's own variables
 */
function rareCollections(availableBytes) {
  const limitMb = Math.floor((availableBytes * heapShare) / 2 ** 20);
  return limitMb < leastHeapMb ? { GOGC: '400' } : { GOGC: 'off', GOMEMLIMIT: `${limitMb}MiB` };
}

/** @returns {Record<string, string>} variables of k6, so that only options of the command count */
const settings = () => ({
  ...rareCollections(process.availableMemory()),
  K6_CSV_SAVE_INTERVAL: samplesEvery,
  K6_CONFIG: path.join(__dirname, 'empty-config.json'), // not what you have saved for every k6
  K6_LOG_FORMAT: 'json',
  K6_NO_USAGE_REPORT: 'true',
  K6_NEW_MACHINE_READABLE_SUMMARY: 'false',
  FIGURES: 'true',
});

/** @typedef {{ rows: import('./verdict').Figures[], catalog: { rows: number, known: number } }} Summary as k6/lib/summary.js logs it */

/** So many failures of each step are kept. */
const mostFailures = 5;

/** k6 logs these for each request, or what the verdict says. */
const noise = /^Request Failed$|^thresholds on metrics /;

/**
 * Reads k6's log, JSON in lines: the figures and failures that the scripts in k6/ log, and k6's own messages.
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
      const { level, msg: text } = line.startsWith('{"') ? JSON.parse(line) : { level: 'error', msg: line };
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

/**
 * `env`: of the script. `onLine` gets each line of output and returns false for one that is not of the sample stream. `signal` ends
 * the test early; k6 still sums up.
 * @typedef {{ k6: string, test: string, env: Record<string, string>, flags?: string[],
 *   onLine: (line: string) => boolean, onStart: (pid: number) => void, say: (line: string) => void, signal: AbortSignal }} Launch
 */

/**
 * Runs one k6 to its end.
 * @param {Launch} launch
 * @returns {Promise<Summary & { text: string, failures: Map<string, string[]> }>} `text`: k6's own summary
 */
async function launch({ k6, test, env, flags = [], onLine, onStart, say, signal }) {
  const words = ['run', '--quiet', '--no-color', '--address=', '--out', 'csv=-', ...flags, scriptOf(test)];
  // A process group of its own: Ctrl-C reaches only us, and we signal k6 once. A second signal would lose its summary.
  const child = spawn(k6, words, {
    env: environment('k6', { ...settings(), ...env }),
    cwd: callerFolder(), // where files of --out belong
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stop = () => child.kill('SIGINT');
  signal.addEventListener('abort', stop, { once: true });
  if (child.pid) onStart(child.pid);
  const log = createLog(say);
  /** @type {string[]} */
  const text = [];
  try {
    const ended = new Promise((resolve, reject) => {
      child.on('error', (error) => reject(new Error(`cannot run ${k6}: ${error.message}`)));
      child.on('close', resolve);
    });
    readline.createInterface({ input: child.stderr }).on('line', log.add);
    for await (const line of readline.createInterface({ input: child.stdout })) if (!onLine(line)) text.push(line);
    const status = await ended;
    const { summary, failures, reason = `${k6} ended with status ${status}` } = log;
    if (![0, thresholdsMissed].includes(status) && !signal.aborted) throw new Error(reason);
    if (!summary)
      throw new Error('k6 ended before it had figures; its flags must not switch off its summary or its log');
    return { ...summary, failures, text: text.join('\n').trim() };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

module.exports = { createLog, launch, rareCollections };
