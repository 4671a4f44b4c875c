'use strict';
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const tls = require('node:tls');

const { environment } = require('../../../scripts/lib/environment');
const { runTool } = require('../../../scripts/lib/run');
const { python } = require('../../../scripts/lib/runtime');
const { noHttp2 } = require('../../helpers/nginx');
const { unless } = require('../../helpers/skip');
const { needsOpenssl } = require('../../helpers/tls');
const { corpus } = require('./hostile/corpus');
const { canaryId, downgrades, http2Replies, smuggling } = require('./hostile/smuggling');
const { atLeast, judge, rig, scaled } = require('./chain');

/** @import { Case } from './hostile/corpus' */
/** @typedef {(connected: () => void) => net.Socket} Connect */

/** The wait for a complete request: beyond every timeout of nginx and of a worker (15 s). */
const patienceMs = 16_000;
const atOnce = 60;

/** @param {number} port @returns {Connect} */
const plainly = (port) => (connected) => net.connect({ host: '127.0.0.1', port, noDelay: true }, connected);

/** By HTTP/2, with any certificate. @param {number} port @returns {Connect} */
const byHttp2 = (port) => (connected) =>
  tls.connect({ host: '127.0.0.1', port, ALPNProtocols: ['h2'], rejectUnauthorized: false }, connected);

/**
 * @param {Case} one @param {Connect} connect @param {number} silenceMs
 * @returns {Promise<Case & { reply: string, silent: boolean }>} `silent`: we had to end the connection
 */
const sendOne = (one, connect, silenceMs) =>
  new Promise((resolve) => {
    let [reply, silent] = ['', false];
    const socket = connect(() => socket.write(one.bytes, () => one.cut && socket.resetAndDestroy()));
    socket.setTimeout(one.complete ? patienceMs : silenceMs, () => {
      silent = true;
      socket.destroy();
    });
    socket.setEncoding('latin1').on('data', (text) => (reply += text));
    socket.on('error', () => {});
    socket.on('close', () => resolve({ ...one, reply, silent }));
  });

/** @param {Case[]} cases @param {Connect} connect @param {number} silenceMs for which the rest of an incomplete reply is awaited */
async function sendAll(cases, connect, silenceMs) {
  const rest = cases.values();
  /** @type {Awaited<ReturnType<typeof sendOne>>[]} */
  const answers = [];
  const lane = async () => {
    for (const one of rest) answers.push(await sendOne(one, connect, silenceMs));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return answers;
}

/** Fixed, so that a failure can be repeated. */
const seed = 20_261_121;
/** Our own code and packages in a stack trace. */
const insides = /\/server\/|node_modules|\bat \w+.*:\d+:\d+|SELECT |pg_|SQLSTATE/;

/** A problem repeats parts of its request, which reveals nothing. @param {Buffer} sent @param {string} reply */
function showsInside(sent, reply) {
  const [found] = /HTTP\/1\.1 [45]/.test(reply) ? (insides.exec(reply) ?? []) : [];
  return found !== undefined && !sent.includes(found);
}

const isSmuggled = (/** @type {{ reply: string }} */ { reply }) => reply.includes(`product ${canaryId} `);

/** @type {Record<string, (answer: Case & { reply: string, silent: boolean, statuses: number[] }) => boolean>} */
const offences = {
  // 501 is what RFC 9112 §6.1 asks for when a transfer coding is unknown.
  'answered 5xx': ({ statuses }) => statuses.some((status) => status >= 500 && status !== 501),
  'a complete request whose connection neither brought all nor ended': ({ complete = false, silent }) =>
    complete && silent,
  'a pipeline with another number of replies than of requests': ({ replies, statuses }) =>
    replies !== undefined && statuses.length !== replies,
  'a closed path not answered 404': ({ status, statuses }) => status !== undefined && `${statuses}` !== `${status}`,
  'a smuggled request that was answered': isSmuggled,
  'a reply that shows code or SQL': ({ bytes, reply }) => showsInside(bytes, reply),
};

/** No input may cause these. */
const damage = async () => ({
  sqlErrors: fs.readFileSync(path.join(rig.state.logs, 'postgres.log'), 'utf8').match(/\b(ERROR|FATAL|PANIC):/g)
    ?.length,
  databaseConnections: rig.proxies.postgres.accepted,
  unexpectedErrors: await rig.counter('catalog_handler_failures_total'),
});

/** A request that may be incomplete: the server waits for its rest. */
const usualSilenceMs = 250;
/** So long that no answer is missed: when a client leaves earlier, nginx forgets what it gave to a worker. */
const longSilenceMs = 3000;
const shownFailures = 5;

/** Without "100 Continue", which is no reply, and without a refusal of what follows the first request. @param {string} reply */
function http1Replies(reply) {
  const [first, ...later] = reply.match(/(?<=HTTP\/1\.1 )[2-5]\d\d(?= )/g) ?? [];
  return first ? 1 + later.filter((status) => status !== '400').length : 0;
}

/**
 * Through an nginx of its own, without other clients: the workers must answer as many requests as it gives them. A smuggled
 * request is one more of theirs, though nginx discards its answer.
 * @param {Case[]} cases @param {boolean} overHttp2
 */
async function expectNoneSmuggled(cases, overHttp2) {
  const before = await rig.counter('catalog_replies_total');
  const nginx = await rig.startNginx('smuggling', overHttp2 ? { tls: 'ECDSA' } : {});
  const connect = overHttp2 ? byHttp2(nginx.tlsPort) : plainly(nginx.port);
  const answers = await sendAll(cases, connect, longSilenceMs).finally(nginx.stop);
  const replies = answers.map(({ reply }) => (overHttp2 ? http2Replies : http1Replies)(reply));
  const log = fs.readFileSync(path.join(nginx.dir, 'logs/nginx-access.log'), 'utf8').trimEnd().split('\n');
  const passed = log.flatMap((line) => JSON.parse(line).upstream_status.match(/\d+/g) ?? []).length;
  judge({
    replies: [replies.reduce((sum, one) => sum + one), cases.length],
    passed: [passed, atLeast(cases.length / 8)],
    answeredByWorkers: [(await rig.counter('catalog_replies_total')) - before, passed],
    answeredTwice: [replies.filter((count) => count > 1).length, 0],
    smuggled: [answers.filter(isSmuggled).length, 0],
  });
}

describe('no 5xx, hanging request, SQL error, new connection or stack trace comes of', () => {
  /** @type {Awaited<ReturnType<typeof damage>>} */
  let before;
  beforeEach(async () => {
    before = await damage();
  });
  afterEach(async () => expect(await damage()).toEqual(before));

  test.each([
    ['F1 10,000 requests to nginx that no client would send', rig.port],
    ['F2 10,000 requests to a worker that no client would send', rig.workerPorts[0]],
  ])('%s', async (_, port) => {
    const count = scaled(10_000);
    const cases = corpus({ seed, count });
    const answers = (await sendAll(cases, plainly(port), usualSilenceMs)).map((answer) => ({
      ...answer,
      statuses: [...answer.reply.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
    }));
    const offended = Object.entries(offences).flatMap(([name, commits]) =>
      answers
        .filter(commits)
        .map(({ statuses, kind, bytes }) => ({ name, statuses, kind, bytes: bytes.toString('latin1', 0, 80) })),
    );
    judge({
      offended: [offended.slice(0, shownFailures), []],
      sent: [cases.length, atLeast(count)],
      replies: [answers.flatMap(({ statuses }) => statuses).length, atLeast(cases.length / 2)],
    });
  });

  test('F3 all checks of schemathesis, in all its phases, over /openapi.json', async () => {
    const program = path.join(path.dirname(python), 'schemathesis');
    const words = [
      '--config-file',
      path.join(__dirname, 'hostile/schemathesis.toml'),
      'run',
      `${rig.url}/openapi.json`,
    ];
    const checks = ['--checks', 'all', '--mode', 'all', '--no-color', '--seed', String(seed)];
    const { status, output } = await runTool(
      [program, ...words, ...checks, '--max-examples', String(rig.short ? 5 : 100)],
      {
        keepOutput: true,
        cwd: rig.state.logs, // it keeps its findings in the current folder
        env: environment('tool', { PYTHONPATH: path.join(__dirname, 'hostile'), SCHEMATHESIS_HOOKS: 'as_absent' }),
      },
    );
    fs.writeFileSync(path.join(rig.state.logs, 'schemathesis.log'), output);
    const [, generated = '0'] = /(\d+) generated/.exec(output) ?? [];
    judge({ failures: [status ? output : '', ''], generated: [Number(generated), atLeast(20)] });
  });

  test('F4 requests inside requests, on every kind of route', () => expectNoneSmuggled(smuggling(), false));

  unless(needsOpenssl() || noHttp2()).test(
    'F5 requests inside HTTP/2 requests, by headers that HTTP/2 must not carry',
    () => expectNoneSmuggled(downgrades(), true),
  );
});
