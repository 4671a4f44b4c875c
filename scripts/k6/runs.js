'use strict';
const { machine } = require('../lib/machine');
const { questionOf } = require('./commands');
const { openContent } = require('./content');
const { findK6 } = require('./find-k6');
const { forgive } = require('./forgive');
const { growthOf, growthText, livesOf, livesText } = require('./growth');
const { launch } = require('./launch');
const { reasonsOf } = require('./model');
const { createProgress } = require('./progress');
const { startRecorder } = require('./recorder');
const { searchAll } = require('./breakpoint');
const { findTarget } = require('./target');
const { createTimeline } = require('./timeline');
const { openHttps } = require('./tls-front');

/**
 * What a test asks of k6, once or often.
 * @typedef {(env: Record<string, string>) => Promise<import('./launch').Summary>} Probe
 */

/**
 * @typedef {object} Session
 * @property {import('./options').Options} options
 * @property {Probe} probe
 * @property {import('./charts').Recording} recording so far
 * @property {(line: string) => void} say
 * @property {import('./target').Target} target
 */

/** @typedef {{ rows: import('./model').Figures[], catalog: { rows: number, known: number }, found?: import('./model').Found[] }} Outcome */

/** @type {Record<string, (session: Session) => Promise<Outcome>>} tests that are more than one k6 */
const special = {
  breakpoint: searchAll,
  burst: async ({ probe, target, say }) => {
    const https = await openHttps(target);
    try {
      const plain = await probe({
        ...https?.env,
        PROTOCOL: 'http1',
        GODEBUG: 'http2client=0',
      });
      if (!https) {
        say('HTTP/2 needs TLS: name an https address with --url to measure it too');
        return plain;
      }
      const { rows } = await probe({ ...https.env, PROTOCOL: 'http2' });
      return { ...plain, rows: [...plain.rows, ...rows] };
    } finally {
      await https?.stop();
    }
  },
};

/** @param {string} url */
const isLocal = (url) => /^(localhost|127\.|\[::1\])/.test(new URL(url).host);

/** No points are recorded while one worker is silent; a slow scrape or two at the end of a run mean nothing. */
const allowedSilenceS = 10;

/** @param {import('./charts').Recording} recording */
function soakOf({ server, windows }) {
  const [lastSeen, end] = [server.at(-1)?.t ?? 0, windows.at(-1)?.t ?? 0];
  return { growth: growthOf(server), lives: livesOf(server), silentS: Math.round(end - lastSeen) };
}

/**
 * @param {object} parts
 * @param {string} parts.k6
 * @param {import('./options').Options} parts.options
 * @param {import('./target').Target} parts.target
 * @param {import('./content').Content} parts.content
 * @param {ReturnType<typeof createTimeline>} parts.timeline
 * @param {(pid: number) => void} parts.onStart
 * @param {AbortSignal} parts.signal
 * @returns {Probe}
 */
function proberOf({ k6, options, target, content, timeline, onStart, signal }) {
  const { cores, test } = options;
  const base = { ...options.env, BASE_URL: target.url, ROUTES: options.routes.join() };
  return async (own) => {
    if (signal.aborted) throw new Error('interrupted before there was an answer');
    const env = { ...base, ...(await content.env()), ...own };
    const summary = await launch({ k6, cores, test, env, onSample: timeline.add, onStart, signal });
    timeline.end();
    content.keep(summary.catalog);
    return { ...summary, rows: forgive(summary.rows, timeline.takeDiffering(), await content.changedAtS()) };
  };
}

/**
 * Runs a test from its options to its figures.
 * @param {import('./options').Options} options
 * @param {{ stream: NodeJS.WriteStream, signal: AbortSignal }} terminal
 * @returns {Promise<{ run: import('./model').Run, recording: import('./charts').Recording }>}
 */
async function runTest(options, { stream, signal }) {
  const target = findTarget(options);
  const progress = createProgress(stream);
  const { k6, version } = await findK6(progress.say, signal);
  const content = await openContent(target);
  /** @type {import('./charts').Recording} */
  const recording = { windows: [], server: [] };
  const timeline = createTimeline((window) => {
    recording.windows.push(window);
    progress.show(window);
  });
  const recorder = startRecorder({
    metrics: target.metrics,
    local: isLocal(target.url),
    onPoint: (point) => recording.server.push(point),
  });
  const started = new Date();
  const probe = proberOf({ k6, options, target, content, timeline, onStart: recorder.watch, signal });
  try {
    const session = { options, probe, recording, say: progress.say, target };
    const { rows, catalog, found } = await (special[options.test] ?? (() => probe({})))(session);
    const soaked = options.test === 'soak' ? soakOf(recording) : {};
    const facts = { rows, found, interrupted: signal.aborted, ...soaked };
    const reasons = judge(facts);
    return {
      recording,
      run: {
        test: options.test,
        question: questionOf(options.test),
        started: started.toISOString(),
        seconds: Math.round((Date.now() - started.getTime()) / 1000),
        url: target.url,
        machine: machine(),
        k6: options.cores ? `${version} on cores ${options.cores}` : version,
        catalog: { rows: catalog.rows, known: catalog.known },
        content: content.told(),
        ...facts,
        failures: Object.fromEntries(timeline.failures),
        ok: reasons.length === 0,
        reasons,
      },
    };
  } finally {
    recorder.stop();
    await content.close();
    progress.say('');
  }
}

/**
 * @param {Pick<import('./model').Run, 'rows' | 'found' | 'interrupted' | 'growth' | 'lives' | 'silentS'>} facts
 * @returns {string[]} why the test is not passed
 */
function judge({ rows, found, interrupted, growth, lives, silentS = 0 }) {
  const cutOff = interrupted ? ['the run was interrupted'] : [];
  // A search breaks rates on purpose; it fails when none holds.
  if (found) {
    const broken = found.filter(({ held }) => held === null);
    return [...broken.map(({ route, reason }) => `${route}: ${reason}`), ...cutOff];
  }
  const isUnseen = [growth, lives].some((seen) => seen?.length === 0);
  const unseen = isUnseen ? ['the workers were not watched: name --metrics'] : [];
  const leaks = (growth ?? []).filter(({ ok }) => !ok).map(growthText);
  const replaced = (lives ?? []).filter(({ processes }) => processes > 1).map(livesText);
  const isGone = unseen.length === 0 && silentS > allowedSilenceS;
  const gone = isGone ? [`a worker told nothing of itself for the last ${silentS} s: see its log`] : [];
  return [...reasonsOf(rows), ...leaks, ...replaced, ...gone, ...unseen, ...cutOff];
}

module.exports = { judge, runTest, soakOf };
