'use strict';
const { spawn } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');
const { callerFolder } = require('../lib/command-line');
const { environment } = require('../lib/environment');
const { machine } = require('../lib/machine');
const { machineTicks, processTicks, readOrNothing, ticksPerSecond } = require('../lib/proc');
const { openContent } = require('./content');
const { findK6 } = require('./find-k6');
const { findTarget, questionOf, scriptOf } = require('./options');

/** A threshold was missed: the run is complete and its figures count (k6/errext/exitcodes). */
const thresholdsMissed = 99;
/** With less heap, k6's live objects (80 to 500 MB) are most of it, and k6 does nothing but collect. */
const leastHeapMb = 1024;
/** CPU is judged by the busiest so many seconds of a run: its highest rate. */
const windowSeconds = 5;
/** So many failures of each step are kept. */
const mostFailures = 5;
/** k6 logs these for each request, or what the report says. */
const noise = /^Request Failed$|^thresholds on metrics |^test run was aborted because k6 received/;

/**
 * A row as k6/lib/summary.js logs it. `rate`: requests a second that were asked for, or that a rate rose to from `risesFrom`; none of a part
 * of a mix, nor of a burst. `rps`: correct replies a second. `compared`: bodies; if fewer than `requests`, `errors` is a minimum.
 * `outdated`: bodies of data that were replaced. `lateMs`: p99 of k6's own delay, which is in no other time. `missed`: thresholds.
 * @typedef {{ scenario: string, route: string, rate?: number, risesFrom?: number, seconds?: number, budgetMs: number, requests: number,
 *   rps?: number, p50Ms: number, p95Ms: number, p99Ms: number, maxMs: number, errors: number, compared: number, outdated: number,
 *   dropped?: number, lateMs?: number, missed: string[] }} Figures
 */
/** The scripts log this at the end. @typedef {{ rows: Figures[], missed: string[], tiers?: Record<string, number>, catalog: { rows: number } }} Summary */
/** One k6. `cpu`: cores in use by k6 and by all. @typedef {Summary & { met: boolean, failures: string[], notes: string[], cpu: { k6: number, all: number } }} Measured */
/**
 * A run, as summary.json keeps it. `source`: what bodies were compared with.
 * @typedef {{ test: string, question: string, started: string, seconds: number, url: string, machine: string, cores: number, k6: string,
 *   source: 'database' | 'routes', interrupted: boolean, parts: Measured[] }} Run
 */

/**
 * Reads k6's log, JSON in lines: the figures and failures that the scripts in k6/ log, and k6's own messages.
 * @param {(line: string) => void} say passes on each warning of k6, once
 */
function createLog(say) {
  const said = new Set();
  /** @type {Record<string, number>} */
  const failed = {};
  const log = {
    failures: /** @type {string[]} */ ([]),
    notes: /** @type {string[]} warnings */ ([]),
    summary: /** @type {Summary | undefined} */ (undefined),
    reason: /** @type {string | undefined} the error that ended k6, without its stack */ (undefined),
    /** @param {string} line */
    add(line) {
      const { level, msg: text } = line.startsWith('{"') ? JSON.parse(line) : { level: 'error', msg: line };
      const [, step, failure] = /^FAILED step=(\S+) (.*)/s.exec(text) ?? [];
      if (text.startsWith('FIGURES ')) log.summary = JSON.parse(text.slice('FIGURES '.length));
      else if (step) {
        failed[step] = (failed[step] ?? 0) + 1;
        if (failed[step] <= mostFailures) log.failures.push(`${step}: ${failure}`);
      } else if (noise.test(text) || said.has(text)) return;
      else if (level === 'error') log.reason ??= text.split('\n')[0].replace(/^Error: /, '');
      else {
        log.notes.push(text);
        say(`k6: ${text}`);
      }
      said.add(text);
    },
  };
  return log;
}

/** @returns {Record<string, string>} Go's variables: a collection takes both cores of a small machine for 0.1 s, also from a service there */
function rareCollections() {
  const limitMb = Math.floor(process.availableMemory() / 4 / 2 ** 20);
  return limitMb < leastHeapMb ? { GOGC: '400' } : { GOGC: 'off', GOMEMLIMIT: `${limitMb}MiB` };
}

/** @returns {Record<string, string>} variables of k6, so that only options of the command count */
const settings = () => ({
  ...rareCollections(),
  K6_CONFIG: path.join(__dirname, 'empty-config.json'), // not what you have saved for every k6
  K6_LOG_FORMAT: 'json',
  K6_NO_USAGE_REPORT: 'true',
  K6_NEW_MACHINE_READABLE_SUMMARY: 'false',
  FIGURES: 'true',
});

/** @param {number | undefined} pid of k6 @returns {() => Measured['cpu']} ends it, with the cores in use while the machine was busiest */
function watchCpu(pid) {
  /** @type {{ k6: number, all: number }[]} seconds of CPU, once a second */
  const points = [];
  const timer = setInterval(() => {
    const [all, own] = ['/proc/stat', `/proc/${pid}/stat`].map(readOrNothing);
    if (!all || !own) return;
    const { busy, stolen } = machineTicks(all); // stolen: the host gave it to other machines
    points.push({ k6: processTicks(own) / ticksPerSecond, all: (busy - stolen) / ticksPerSecond });
  }, 1000);
  return () => {
    clearInterval(timer);
    const width = Math.min(windowSeconds, points.length - 1);
    const uses = points.slice(width).map(({ k6, all }, n) => {
      return { k6: (k6 - points[n].k6) / width, all: (all - points[n].all) / width };
    });
    return uses.reduce((most, use) => (use.all > most.all ? use : most), { k6: 0, all: 0 });
  };
}

/**
 * Runs one k6 to its end. A signal ends it early; it still sums up.
 * @param {string} k6 @param {string[]} words @param {Record<string, string>} env
 * @param {(line: string) => void} say @param {AbortSignal} signal @returns {Promise<Measured>}
 */
async function launch(k6, words, env, say, signal) {
  // A process group of its own: Ctrl-C reaches only us, and we signal k6 once. A second signal would lose its summary.
  const child = spawn(k6, words, {
    env: environment('k6', { ...settings(), ...env }),
    cwd: callerFolder(), // where files of --out belong
    stdio: ['ignore', 'inherit', 'pipe'],
    detached: true,
  });
  const stop = () => child.kill('SIGINT');
  signal.addEventListener('abort', stop, { once: true });
  const log = createLog(say);
  const cpu = watchCpu(child.pid);
  try {
    const ended = new Promise((resolve, reject) => {
      child.on('error', (error) => reject(new Error(`cannot run ${k6}: ${error.message}`)));
      child.on('close', resolve);
    });
    readline.createInterface({ input: child.stderr }).on('line', log.add);
    const status = await ended;
    const { summary, failures, notes, reason = `k6 ended with status ${status}` } = log;
    if (![0, thresholdsMissed].includes(status) && !signal.aborted) throw new Error(reason);
    if (!summary)
      throw new Error('k6 ended before it had figures; its flags must not switch off its summary or its log');
    return { ...summary, met: status === 0, failures, notes, cpu: cpu() };
  } finally {
    cpu();
    signal.removeEventListener('abort', stop);
  }
}

/** @param {import('./options').Options} options @param {import('./options').Target} target @returns {Record<string, string>[]} variables of each k6 */
function partsOf({ test, routes }, { url, httpsUrl, noHttp2 }) {
  if (test === 'breakpoint') return routes.map((route) => ({ ROUTES: route }));
  if (test !== 'burst') return [{ ROUTES: routes.join() }];
  // Both over TLS, so that only the protocols differ. Certificates of a stack are often its own.
  const tls = { BASE_URL: httpsUrl ?? url, ...(url !== httpsUrl && { K6_INSECURE_SKIP_TLS_VERIFY: 'true' }) };
  const http1 = { ...tls, PROTOCOL: 'http1', GODEBUG: 'http2client=0' };
  return noHttp2 ? [http1] : [http1, { ...tls, PROTOCOL: 'http2' }];
}

/**
 * Runs a test from its options to its figures.
 * @param {import('./options').Options} options @param {(line: string) => void} say @param {AbortSignal} signal
 * @returns {Promise<Run>}
 */
async function runTest(options, say, signal) {
  const { test } = options;
  const started = new Date();
  const target = findTarget(options);
  const { k6, version } = await findK6(say, signal);
  const content = target.database ? await openContent(target.database) : undefined;
  const { url, writer = '', metrics } = target;
  const common = { ...options.env, BASE_URL: url, WRITER_URL: writer, METRICS: metrics.join(), ...content?.env };
  const words = ['run', '--address=', ...(process.stdout.isTTY ? [] : ['--quiet']), ...options.flags, scriptOf(test)];
  if (test === 'burst' && target.noHttp2) say(`no HTTP/2: ${target.noHttp2}`);
  /** @type {Measured[]} */
  const parts = [];
  try {
    for (const own of partsOf(options, target))
      if (!signal.aborted) parts.push(await launch(k6, words, { ...common, ...own }, say, signal));
  } finally {
    content?.close();
  }
  if (parts.length === 0) throw new Error('interrupted before there was an answer');
  return {
    test,
    question: questionOf(test),
    started: started.toISOString(),
    seconds: Math.round((Date.now() - started.getTime()) / 1000),
    url,
    machine: machine(),
    cores: os.availableParallelism(),
    k6: version,
    source: content ? 'database' : 'routes',
    interrupted: signal.aborted,
    parts,
  };
}

module.exports = { createLog, runTest };
