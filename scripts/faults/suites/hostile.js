'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { runTool } = require('../../lib/run');
const { python } = require('../../lib/runtime');
const { atLeast, exactly, holds } = require('../checks');
const { corpus } = require('../hostile/corpus');
const { http2Replies } = require('../hostile/http2-bytes');
const { byHttp2, plainly, sendAll } = require('../hostile/send');
const { canaryId, downgrades, smuggling } = require('../hostile/smuggling');
const { scaled, withoutExit } = require('../scenario');
const { certified } = require('./tls');

/** @typedef {import('../../testbed/rig').Rig} Rig */
/** @typedef {import('../hostile/corpus').Case} Case */

/** Fixed, so that a failure can be repeated. */
const seed = 20_261_121;
/** Of our own code and packages, in a stack trace. */
const insides = /\/server\/|node_modules|\bat \w+.*:\d+:\d+|SELECT |pg_|SQLSTATE/;

/** A problem repeats parts of its request, which reveals nothing. @param {Buffer} sent @param {string} reply */
function showsInside(sent, reply) {
  const [found] = /HTTP\/1\.1 [45]/.test(reply) ? (insides.exec(reply) ?? []) : [];
  return found !== undefined && !sent.includes(found);
}

/** @param {Rig} rig @returns {number} errors that PostgreSQL logged so far */
const sqlErrors = (rig) =>
  fs.readFileSync(path.join(rig.state.logs, 'postgres.log'), 'utf8').match(/\b(ERROR|FATAL|PANIC):/g)?.length ?? 0;

/** Checks what no input may cause. @param {Rig} rig @param {() => Promise<import('../checks').Check[]>} work */
const guarded = (rig, work) =>
  withoutExit(rig, async () => {
    const failures = () => rig.counter('catalog_handler_failures_total');
    const before = { errors: sqlErrors(rig), connections: rig.proxies.postgres.accepted, failures: await failures() };
    return [
      ...(await work()),
      exactly('SQL errors in the log of PostgreSQL', sqlErrors(rig) - before.errors),
      exactly('new database connections', rig.proxies.postgres.accepted - before.connections),
      exactly('unexpected errors in a worker', (await failures()) - before.failures),
    ];
  });

/** @type {Record<string, (one: Case, answer: { statuses: number[], reply: string, silent: boolean }) => boolean>} */
const offences = {
  // 501 is what RFC 9112 §6.1 asks for when a transfer coding is unknown.
  'answered 5xx': (_, { statuses }) => statuses.some((status) => status >= 500 && status !== 501),
  'complete requests whose connection neither brought all nor ended': ({ complete }, { silent }) =>
    Boolean(complete) && silent,
  'pipelines with another number of replies than of requests': ({ replies }, { statuses }) =>
    replies !== undefined && statuses.length !== replies,
  'closed paths not answered 404': ({ status }, { statuses }) => status !== undefined && `${statuses}` !== `${status}`,
  'smuggled requests that were answered': (_, { reply }) => reply.includes(`product ${canaryId} `),
  'replies that show code or SQL': ({ bytes }, { reply }) => showsInside(bytes, reply),
};

/** @param {Rig} rig @param {number} port */
const bytes = (rig, port) =>
  guarded(rig, async () => {
    const counts = Object.fromEntries(Object.keys(offences).map((name) => [name, 0]));
    /** @type {Set<string>} */
    const guilty = new Set();
    const cases = corpus({ seed, count: scaled(rig, 10_000, 500) });
    let replies = 0;
    await sendAll(cases, plainly(port), (one, answer) => {
      const statuses = [...answer.reply.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      replies += statuses.length;
      for (const [name, commits] of Object.entries(offences))
        if (commits(one, { ...answer, statuses })) {
          counts[name] += 1;
          guilty.add(`${name}: ${statuses} after ${one.kind}: ${one.bytes.toString('latin1').slice(0, 80)}`);
        }
    });
    guilty.forEach((one) => rig.say(`      ${JSON.stringify(one)}`));
    return [
      atLeast('requests sent', cases.length, scaled(rig, 10_000, 500)),
      atLeast('replies to them', replies, cases.length / 2),
      ...Object.entries(counts).map(([name, count]) => exactly(name, count)),
    ];
  });

/** @param {Rig} rig */
const fuzzed = (rig) =>
  guarded(rig, async () => {
    const config = path.join(__dirname, '../hostile/schemathesis.toml');
    const { status, output } = await runTool(
      [
        ...['env', '-C', rig.state.logs], // it keeps its findings in the current folder
        ...[path.join(path.dirname(python), 'schemathesis'), '--config-file', config, 'run', `${rig.url}/openapi.json`],
        ...['--checks', 'all', '--mode', 'all', '--no-color', '--seed', String(seed)],
        ...['--max-examples', String(scaled(rig, 100, 5))],
      ],
      { keepOutput: true },
    );
    const file = path.join(rig.state.logs, 'schemathesis.log');
    fs.writeFileSync(file, output);
    const [, generated = '0'] = /(\d+) generated/.exec(output) ?? [];
    return [
      holds(`all checks of all phases pass (see ${path.basename(file)})`, status === 0),
      atLeast('test cases', Number(generated), 20),
    ];
  });

/** So long that no answer is missed: when a client leaves earlier, nginx forgets what it gave to a worker. */
const silenceMs = 3000;

/** Without "100 Continue", which is no reply, and without a refusal of what follows the first request. @param {string} reply */
function http1Replies(reply) {
  const [first, ...later] = reply.match(/(?<=HTTP\/1\.1 )[2-5]\d\d(?= )/g) ?? [];
  return first ? 1 + later.filter((status) => status !== '400').length : 0;
}

/** @param {string} log of a stopped nginx @returns {number} requests that it gave to workers */
const passedOn = (log) =>
  fs
    .readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap((line) => JSON.parse(line).upstream_status.match(/\d+/g) ?? []).length;

/**
 * Through an nginx of its own, without other clients: the workers must answer as many requests as it gives them. A smuggled
 * request is one more of theirs, though nginx discards its answer.
 * @param {Rig} rig @param {Case[]} cases @param {boolean} overHttp2
 */
const smuggled = (rig, cases, overHttp2) =>
  guarded(rig, async () => {
    const dir = path.join(rig.dir, 'smuggling');
    fs.rmSync(dir, { recursive: true, force: true });
    fs.mkdirSync(dir, { recursive: true });
    const before = await rig.counter('catalog_replies_total');
    const seen = { replies: 0, twice: 0, smuggled: 0 };
    const nginx = await rig.startNginx('smuggling', overHttp2 ? { tls: certified(dir) } : {});
    const judge = (/** @type {unknown} */ _, /** @type {{ reply: string }} */ { reply }) => {
      const replies = (overHttp2 ? http2Replies : http1Replies)(reply);
      seen.replies += replies;
      if (replies > 1) seen.twice += 1;
      if (reply.includes(`product ${canaryId} `)) seen.smuggled += 1;
    };
    const connect = overHttp2 ? byHttp2(nginx.tlsPort) : plainly(nginx.port);
    await sendAll(cases, connect, judge, silenceMs).finally(nginx.stop);
    const passed = passedOn(path.join(dir, 'logs/nginx-access.log'));
    const answered = (await rig.counter('catalog_replies_total')) - before;
    return [
      exactly(`replies to ${cases.length} requests`, seen.replies, cases.length),
      atLeast('requests that nginx gave to workers', passed, cases.length / 8),
      exactly('requests that workers answered beyond these', answered - passed),
      exactly('requests answered twice', seen.twice),
      exactly('smuggled requests that were answered', seen.smuggled),
    ];
  });

/** @type {import('../run').Runs} */
const hostileFaults = {
  F1: (rig) => bytes(rig, rig.port),
  F2: (rig) => bytes(rig, rig.workerPorts[0]),
  F3: fuzzed,
  F4: (rig) => smuggled(rig, smuggling(), false),
  F5: (rig) => smuggled(rig, downgrades(), true),
};

module.exports = { hostileFaults };
