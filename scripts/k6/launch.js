'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');
const { environment } = require('../lib/environment');
const { scriptOf } = require('./commands');
const { csvReader } = require('./samples');

/** A threshold was crossed: the run is whole and its figures count (k6/errext/exitcodes). */
const thresholdsCrossed = 99;

/** Of the memory that is free, k6 may fill a quarter before it collects. */
const heapShare = 1 / 4;
/** With less than this its live heap (80 to 500 MB) would be most of it, and it would do nothing but collect. */
const leastHeapMb = 1024;

/**
 * How rarely k6 collects garbage. One collection takes both cores of a small machine for 0.1 s, from the service too where
 * both share it; at 1,000 requests a second Go collects twice a second by itself, and each 3 s when its heap may grow by 400 %.
 * Free until 5 GB are full, p99 of a list was 5.1 and 7.0 ms in place of 8.7 and 10.6.
 * @param {number} availableBytes
 * @returns {Record<string, string>} Go's own variables
 */
function rareCollections(availableBytes) {
  const limitMb = Math.floor((availableBytes * heapShare) / 2 ** 20);
  return limitMb < leastHeapMb ? { GOGC: '400' } : { GOGC: 'off', GOMEMLIMIT: `${limitMb}MiB` };
}

/**
 * How often k6 writes its samples; its default is 1 s. At 1,000 requests a second that is 17,000 lines made at once, which
 * hold a core for longer than a reply takes, on the cores of the service where both share a machine: p99 of a list 16 to 17
 * ms in three runs, 7 to 11 in six this way.
 */
const samplesEvery = '20ms';

/**
 * @typedef {object} Launch
 * @property {string} k6
 * @property {string | undefined} cores that it keeps to: it then takes none from a service on the others
 * @property {string} test
 * @property {Record<string, string>} env what the script reads
 * @property {(sample: import('./samples').Sample) => void} onSample
 * @property {(pid: number) => void} onStart
 * @property {AbortSignal} signal k6 then ends the test early and still sums up
 */

/** @typedef {{ rows: import('./model').Figures[], catalog: { rows: number, known: number } }} Summary as k6/lib/summary.js writes it */

/**
 * Runs one k6 to its end. Its samples stream through a pipe and are forgotten as they come; the exact figures of the
 * whole run are k6's own.
 * @param {Launch} launch
 * @returns {Promise<Summary>}
 */
async function launch({ k6, cores, test, env, onSample, onStart, signal }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
  const [summary, config] = ['summary.json', 'config.json'].map((name) => path.join(folder, name));
  fs.writeFileSync(config, '{}');
  const pinned = cores ? ['taskset', '--cpu-list', cores, k6] : [k6];
  const words = ['run', '--quiet', '--no-color', '--address=', '--out', 'csv=-', scriptOf(test)];
  // A group of its own: Ctrl-C reaches only us, who tell k6 once. Twice would lose its summary.
  const [command, ...before] = pinned;
  const child = spawn(command, [...before, ...words], {
    env: environment('k6', {
      ...rareCollections(process.availableMemory()),
      K6_CSV_SAVE_INTERVAL: samplesEvery,
      ...env,
      SUMMARY: summary,
      K6_CONFIG: config, // else what the person has saved for every k6 counts
      K6_NO_USAGE_REPORT: 'true',
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let complaints = '';
  child.stderr.on('data', (data) => (complaints = `${complaints}${data}`.slice(-10_000)));
  const stop = () => child.kill('SIGINT');
  signal.addEventListener('abort', stop, { once: true });
  if (child.pid) onStart(child.pid);
  try {
    const ended = new Promise((resolve, reject) => {
      child.on('error', (error) => reject(new Error(`cannot run ${pinned.join(' ')}: ${error.message}`)));
      child.on('close', resolve);
    });
    const read = csvReader();
    for await (const line of readline.createInterface({ input: child.stdout })) {
      const sample = read(line);
      if (sample) onSample(sample);
    }
    const status = await ended;
    if (![0, thresholdsCrossed].includes(status) && !signal.aborted) {
      const last = complaints.trim().split('\n').at(-1);
      throw new Error(reasonIn(complaints) ?? `${pinned[0]} ended with status ${status}: ${last}`);
    }
    if (!fs.existsSync(summary)) throw new Error('k6 ended before it had figures');
    return JSON.parse(fs.readFileSync(summary, 'utf8'));
  } finally {
    signal.removeEventListener('abort', stop);
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} complaints of k6, as logfmt @returns {string | undefined} the first message, without the stack */
function reasonIn(complaints) {
  const [, message] = /level=error msg="((?:[^"\\]|\\.)*)"/.exec(complaints) ?? [];
  return message
    ?.split('\\n')[0]
    .replace(/\\"/g, '"')
    .replace(/^Error: /, '');
}

module.exports = { launch, rareCollections, reasonIn };
