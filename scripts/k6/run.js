'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { makeCertificate } = require('../lib/certificate');
const { lackOf } = require('../lib/floors');
const { machine } = require('../lib/machine');
const { startNginx } = require('../local/nginx');
const { freePort } = require('../local/ports');
const { searchAll } = require('./breakpoint');
const { forgive, openContent } = require('./content');
const { findK6 } = require('./find-k6');
const { launch } = require('./launch');
const { findTarget, questionOf, tests } = require('./options');
const { startRecorder, stepLoad, watchProcesses } = require('./server-figures');
const { createProgress, createTimeline } = require('./timeline');
const { judge, soakOf } = require('./verdict');

/**
 * `probe` runs k6 once, with variables of the script. `cores`: that k6 may use.
 * @typedef {{ options: import('./options').Options, probe: (env: Record<string, string>) => Promise<import('./launch').Summary>,
 *   say: (line: string) => void, target: import('./options').Target, cores: number }} Session
 */

/** @typedef {import('./launch').Summary & { found?: import('./verdict').Found[] }} Outcome */
/** @typedef {{ stream: NodeJS.WriteStream, print: (text: string) => void, signal: AbortSignal }} Terminal `print`: k6's own summary */

/** @typedef {{ env: Record<string, string>, lacks?: string, stop: () => Promise<void> }} Https how k6 reaches the service over TLS; `lacks`: why not by HTTP/2 */

/**
 * HTTP/2 needs TLS, and a stack serves TLS only if it was given a certificate. So a second nginx in front of the stack's workers
 * gets the project's TLS settings and a certificate of its own.
 * @param {import('./options').Target} target
 * @returns {Promise<Https | undefined>} undefined if TLS cannot be had
 */
async function openHttps({ url, workers }) {
  if (url.startsWith('https:')) return { env: {}, stop: async () => {} };
  if (workers.length === 0) return undefined;
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-tls-'));
  const remove = () => fs.rmSync(dir, { recursive: true, force: true });
  try {
    const made = makeCertificate(dir);
    if (!made) throw new Error('HTTP/2 needs a certificate: install openssl, or name an https --url');
    const [port, tlsPort] = [await freePort(), await freePort()];
    const tls = { certificate: made.certFile, key: made.keyFile, port: tlsPort };
    const nginx = await startNginx({ dir, port, workers, tls });
    const env = { BASE_URL: `https://127.0.0.1:${tlsPort}`, K6_INSECURE_SKIP_TLS_VERIFY: 'true' };
    return { env, lacks: lackOf(nginx.program), stop: () => nginx.stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** @param {Session} session @returns {Promise<Outcome>} the burst over both protocols, if TLS can be had */
async function burstBoth({ probe, target, say }) {
  const https = await openHttps(target);
  try {
    const plain = await probe({ ...https?.env, PROTOCOL: 'http1', GODEBUG: 'http2client=0' });
    if (https && !https.lacks)
      return { ...plain, rows: [...plain.rows, ...(await probe({ ...https.env, PROTOCOL: 'http2' })).rows] };
    say(`no HTTP/2: ${https?.lacks || 'it needs TLS: name an https address with --url to measure it, too'}`);
    return plain;
  } finally {
    await https?.stop();
  }
}

/** Tests that are more than one k6. @type {Record<string, (session: Session) => Promise<Outcome>>} */
const special = { breakpoint: searchAll, burst: burstBoth };

/** All that watches one run. @param {import('./options').Options} options @param {Terminal} terminal */
async function openRun(options, { stream, print, signal }) {
  const { flags, test } = options;
  const target = findTarget(options);
  const { say, show } = createProgress(stream);
  const { k6, version } = await findK6(say, signal);
  const content = openContent(target.database);
  /** @type {{ windows: import('./timeline').Window[], points: import('./server-figures').ServerPoint[] }} second by second */
  const seen = { windows: [], points: [] };
  const timeline = createTimeline((window) => {
    seen.windows.push(window);
    show(tests[test].atOnce ? { ...window, scenario: test } : window);
  });
  const { watch, stop } = startRecorder({ metrics: target.metrics, onPoint: (point) => void seen.points.push(point) });
  /** @type {Session['probe']} */
  async function probe(own) {
    if (signal.aborted) throw new Error('interrupted before there was an answer');
    const urls = { BASE_URL: target.url, WRITER_URL: target.writer ?? '' };
    const common = { ...options.env, ...urls, ROUTES: options.routes.join() };
    const env = { ...common, ...(await content.env()), ...own };
    const from = seen.windows.length;
    const launched = { k6, test, env, flags, onLine: timeline.add, onStart: watch, say, signal };
    const { rows, catalog, failures, text } = await launch(launched);
    timeline.end();
    content.keep(catalog);
    if (test !== 'breakpoint') (say(''), print(`${text}\n`)); // those of its probes would hide its lines
    const windows = seen.windows.slice(from);
    const judged = forgive(rows, timeline.takeDiffering(), await content.changedAtS());
    return { catalog, rows: judged.map((row) => withStep(row, windows, failures.get(row.scenario))) };
  }
  /** @param {import('./verdict').Figures} row @param {import('./timeline').Window[]} windows @param {string[]} [failures] */
  function withStep(row, windows, failures) {
    if (row.rate === undefined && test !== 'burst') return row; // a part of a mix: its step is in the row of the whole
    const own = tests[test].atOnce ? windows : windows.filter(({ scenario }) => scenario === row.scenario);
    return { ...row, failures, load: stepLoad(own, seen.points) };
  }
  const close = () => (stop(), content.close());
  const session = { options, probe, say, target, cores: os.availableParallelism() };
  return { session, seen, content, statuses: timeline.statuses, version, close };
}

/**
 * Runs a test from its options to its figures.
 * @param {import('./options').Options} options @param {Terminal} terminal
 * @returns {Promise<import('./verdict').Run>}
 */
async function runTest(options, terminal) {
  const { test } = options;
  const started = new Date();
  const { session, seen, content, statuses, version, close } = await openRun(options, terminal);
  try {
    const endedWorkers = await watchProcesses(session.target.metrics);
    const { rows, catalog, found } = await (special[test] ?? (() => session.probe({})))(session);
    const soak = test === 'soak' ? soakOf(seen.windows, seen.points) : undefined;
    const facts = { rows, found, soak, ended: await endedWorkers(), interrupted: terminal.signal.aborted };
    const reasons = judge(facts);
    return {
      ...{ test, question: questionOf(test), url: session.target.url, machine: machine() },
      ...{ started: started.toISOString(), seconds: Math.round((Date.now() - started.getTime()) / 1000) },
      ...{ k6: version, cores: session.cores },
      ...{ catalog: { rows: catalog.rows, known: catalog.known }, content: content.compared() },
      ...{ ...facts, statuses: Object.fromEntries(statuses), ok: reasons.length === 0, reasons },
    };
  } finally {
    close();
  }
}

module.exports = { runTest };
