'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { makeCertificate } = require('../lib/certificate');
const { machine } = require('../lib/machine');
const { startNginx } = require('../local/nginx');
const { freePort } = require('../local/ports');
const { searchAll } = require('./breakpoint');
const { forgive, openContent } = require('./content');
const { findK6 } = require('./find-k6');
const { launch } = require('./launch');
const { findTarget, questionOf, tests } = require('./options');
const { createProgress } = require('./progress');
const { startRecorder } = require('./recorder');
const { stepLoad } = require('./server-figures');
const { createTimeline } = require('./timeline');
const { judge, soakOf } = require('./verdict');

/**
 * `probe` runs k6 once, with variables of the script. `cores`: that k6 may use.
 * @typedef {{ options: import('./options').Options, probe: (env: Record<string, string>) => Promise<import('./launch').Summary>,
 *   say: (line: string) => void, target: import('./options').Target, cores: number }} Session
 */

/** @typedef {import('./launch').Summary & { found?: import('./verdict').Found[] }} Outcome */
/** @typedef {{ stream: NodeJS.WriteStream, print: (text: string) => void, signal: AbortSignal }} Terminal `print`: k6's own summary */

/** @typedef {{ env: Record<string, string>, stop: () => Promise<void> }} Https how k6 reaches the service over TLS */

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
    return { env, stop: () => nginx.stop().finally(remove) };
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
    if (https) return { ...plain, rows: [...plain.rows, ...(await probe({ ...https.env, PROTOCOL: 'http2' })).rows] };
    say('HTTP/2 needs TLS: name an https address with --url to measure it, too');
    return plain;
  } finally {
    await https?.stop();
  }
}

/** Tests that are more than one k6. @type {Record<string, (session: Session) => Promise<Outcome>>} */
const special = { breakpoint: searchAll, burst: burstBoth };

/** @param {string} url */
const isLocal = (url) => /^(localhost|127\.|\[::1\])/.test(new URL(url).host);

/** @param {string} list as taskset reads it @returns {number} */
const coresIn = (list) =>
  list.split(',').reduce((sum, part) => {
    const [from, to = from] = part.split('-').map(Number);
    return sum + to - from + 1;
  }, 0);

/** All that watches one run. @param {import('./options').Options} options @param {Terminal} terminal */
async function openRun(options, { stream, print, signal }) {
  const { cores, flags, test } = options;
  const target = findTarget(options);
  const { say, show } = createProgress(stream);
  const { k6, version } = await findK6(say, signal);
  const content = await openContent(target);
  /** @type {import('./recorder').Recording} */
  const recording = { windows: [], server: [] };
  const timeline = createTimeline((window) => {
    recording.windows.push(window);
    show(tests[test].atOnce ? { ...window, scenario: test } : window);
  });
  const onPoint = (/** @type {import('./recorder').ServerPoint} */ point) => void recording.server.push(point);
  const { watch, stop } = startRecorder({ metrics: target.metrics, local: isLocal(target.url), onPoint });
  /** @type {Session['probe']} */
  async function probe(own) {
    if (signal.aborted) throw new Error('interrupted before there was an answer');
    const urls = { BASE_URL: target.url, WRITER_URL: target.writer ?? '' };
    const common = { ...options.env, ...urls, ROUTES: options.routes.join() };
    const env = { ...common, ...(await content.env()), ...own };
    const from = recording.windows.length;
    const launched = { k6, cores, test, env, flags, onLine: timeline.add, onStart: watch, say, signal };
    const { rows, catalog, failures, text } = await launch(launched);
    timeline.end();
    content.keep(catalog);
    if (test !== 'breakpoint') (say(''), print(`${text}\n`)); // those of its probes would hide its lines
    const windows = recording.windows.slice(from);
    const judged = forgive(rows, timeline.takeDiffering(), await content.changedAtS());
    return { catalog, rows: judged.map((row) => withStep(row, windows, failures.get(row.scenario))) };
  }
  /** @param {import('./verdict').Figures} row @param {import('./timeline').Window[]} windows @param {string[]} [failures] */
  function withStep(row, windows, failures) {
    if (row.rate === undefined && test !== 'burst') return row; // a part of a mix: its step is in the row of the whole
    const own = tests[test].atOnce ? windows : windows.filter(({ scenario }) => scenario === row.scenario);
    return { ...row, failures, load: stepLoad(own, recording.server) };
  }
  const close = () => (stop(), content.close());
  const session = { options, probe, say, target, cores: cores ? coresIn(cores) : os.availableParallelism() };
  return { session, recording, content, statuses: timeline.statuses, version, close };
}

/**
 * Runs a test from its options to its figures.
 * @param {import('./options').Options} options @param {Terminal} terminal
 * @returns {Promise<{ run: import('./verdict').Run, recording: import('./recorder').Recording }>}
 */
async function runTest(options, terminal) {
  const { test, cores } = options;
  const started = new Date();
  const { session, recording, content, statuses, version, close } = await openRun(options, terminal);
  try {
    const { rows, catalog, found } = await (special[test] ?? (() => session.probe({})))(session);
    const soak = test === 'soak' ? soakOf(recording) : undefined;
    const facts = { rows, found, soak, interrupted: terminal.signal.aborted };
    const reasons = judge(facts);
    const run = {
      ...{ test, question: questionOf(test), url: session.target.url, machine: machine() },
      ...{ started: started.toISOString(), seconds: Math.round((Date.now() - started.getTime()) / 1000) },
      ...{ k6: cores ? `${version} on cores ${cores}` : version, cores: session.cores },
      ...{ catalog: { rows: catalog.rows, known: catalog.known }, content: content.compared() },
      ...{ ...facts, statuses: Object.fromEntries(statuses), ok: reasons.length === 0, reasons },
    };
    return { run, recording };
  } finally {
    await close();
  }
}

module.exports = { runTest };
