'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { inspect, lackOf } = require('../../../../scripts/lib/floors');
const { runTool } = require('../../../../scripts/lib/run');
const { binaries, python } = require('../../../../scripts/lib/runtime');
const { atLeast, exactly, holds } = require('../checks');
const { corpus } = require('../hostile/corpus');
const { byHttp2, plainly, sendAll } = require('../hostile/send');
const { canaryId, downgrades, http2Replies, smuggling } = require('../hostile/smuggling');
const { scaled } = require('../scenario');
const { certified, needsOpenssl } = require('./security');

/** @import { Rig } from '../../testbed/rig' */
/** @import { Case } from '../hostile/corpus' */

/** Fixed, so that a failure can be repeated. */
const seed = 20_261_121;
/** Of our own code and packages, in a stack trace. */
const insides = /\/server\/|node_modules|\bat \w+.*:\d+:\d+|SELECT |pg_|SQLSTATE/;

/** A problem repeats parts of its request, which reveals nothing. @param {Buffer} sent @param {string} reply */
function showsInside(sent, reply) {
  const [found] = /HTTP\/1\.1 [45]/.test(reply) ? (insides.exec(reply) ?? []) : [];
  return found !== undefined && !sent.includes(found);
}

/** Checks what no input may cause. @param {Rig} rig @param {() => Promise<import('../checks').Check[]>} work */
async function guarded(rig, work) {
  const log = path.join(rig.state.logs, 'postgres.log');
  const counts = async () => ({
    'SQL errors in the log of PostgreSQL': fs.readFileSync(log, 'utf8').match(/\b(ERROR|FATAL|PANIC):/g)?.length ?? 0,
    'new database connections': rig.proxies.postgres.accepted,
    'unexpected errors in a worker': await rig.counter('catalog_handler_failures_total'),
  });
  const before = Object.values(await counts());
  const checks = await work();
  const gained = Object.entries(await counts()).map(([what, count], at) => exactly(what, count - before[at]));
  return [...checks, ...gained];
}

const isSmuggled = (/** @type {{ reply: string }} */ { reply }) => reply.includes(`product ${canaryId} `);

/** @type {Record<string, (answer: Case & { reply: string, silent: boolean, statuses: number[] }) => boolean>} */
const offences = {
  // 501 is what RFC 9112 §6.1 asks for when a transfer coding is unknown.
  'answered 5xx': ({ statuses }) => statuses.some((status) => status >= 500 && status !== 501),
  'complete requests whose connection neither brought all nor ended': ({ complete = false, silent }) =>
    complete && silent,
  'pipelines with another number of replies than of requests': ({ replies, statuses }) =>
    replies !== undefined && statuses.length !== replies,
  'closed paths not answered 404': ({ status, statuses }) => status !== undefined && `${statuses}` !== `${status}`,
  'smuggled requests that were answered': isSmuggled,
  'replies that show code or SQL': ({ bytes, reply }) => showsInside(bytes, reply),
};

/** Of a request that may be incomplete: the server waits for its rest. */
const usualSilenceMs = 250;

/** @param {Rig} rig @param {number} port */
const bytes = (rig, port) =>
  guarded(rig, async () => {
    const cases = corpus({ seed, count: scaled(rig, 10_000, 500) });
    const answers = (await sendAll(cases, plainly(port), usualSilenceMs)).map((answer) => ({
      ...answer,
      statuses: [...answer.reply.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
    }));
    return [
      atLeast('requests sent', cases.length, scaled(rig, 10_000, 500)),
      atLeast('replies to them', answers.flatMap(({ statuses }) => statuses).length, cases.length / 2),
      ...Object.entries(offences).map(([name, commits]) => {
        const guilty = answers.filter(commits);
        const failures = guilty.map(({ statuses, kind, bytes: sent }) =>
          JSON.stringify(`${statuses} after ${kind}: ${sent.toString('latin1', 0, 80)}`),
        );
        return { ...exactly(name, guilty.length), failures };
      }),
    ];
  });

/** So long that no answer is missed: when a client leaves earlier, nginx forgets what it gave to a worker. */
const silenceMs = 3000;

/** Without "100 Continue", which is no reply, and without a refusal of what follows the first request. @param {string} reply */
function http1Replies(reply) {
  const [first, ...later] = reply.match(/(?<=HTTP\/1\.1 )[2-5]\d\d(?= )/g) ?? [];
  return first ? 1 + later.filter((status) => status !== '400').length : 0;
}

/**
 * Through an nginx of its own, without other clients: the workers must answer as many requests as it gives them. A smuggled
 * request is one more of theirs, though nginx discards its answer.
 * @param {Rig} rig @param {Case[]} cases @param {boolean} overHttp2
 */
const smuggled = (rig, cases, overHttp2) =>
  guarded(rig, async () => {
    const dir = path.join(rig.dir, 'smuggling');
    fs.rmSync(dir, { recursive: true, force: true });
    const before = await rig.counter('catalog_replies_total');
    const nginx = await rig.startNginx('smuggling', overHttp2 ? { tls: certified(dir) } : {});
    const connect = overHttp2 ? byHttp2(nginx.tlsPort) : plainly(nginx.port);
    const answers = await sendAll(cases, connect, silenceMs).finally(nginx.stop);
    const replies = answers.map(({ reply }) => (overHttp2 ? http2Replies : http1Replies)(reply));
    const total = replies.reduce((sum, one) => sum + one);
    const log = fs.readFileSync(path.join(dir, 'logs/nginx-access.log'), 'utf8').trimEnd().split('\n');
    const passed = log.flatMap((line) => JSON.parse(line).upstream_status.match(/\d+/g) ?? []).length;
    const answered = (await rig.counter('catalog_replies_total')) - before;
    return [
      exactly(`replies to ${cases.length} requests`, total, cases.length),
      atLeast('requests that nginx gave to workers', passed, cases.length / 8),
      exactly('requests that workers answered beyond these', answered - passed),
      exactly('requests answered twice', replies.filter((count) => count > 1).length),
      exactly('smuggled requests that were answered', answers.filter(isSmuggled).length),
    ];
  });

/** @type {import('../run').Runs} */
const runs = {
  F1: (rig) => bytes(rig, rig.port),
  F2: (rig) => bytes(rig, rig.workerPorts[0]),
  F3: (rig) =>
    guarded(rig, async () => {
      const program = path.join(path.dirname(python), 'schemathesis');
      const config = path.join(__dirname, '../hostile/schemathesis.toml');
      const { status, output } = await runTool(
        [
          ...[program, '--config-file', config, 'run', `${rig.url}/openapi.json`, '--checks', 'all', '--mode', 'all'],
          ...['--no-color', '--seed', String(seed), '--max-examples', String(scaled(rig, 100, 5))],
        ],
        { keepOutput: true, cwd: rig.state.logs }, // it keeps its findings in the current folder
      );
      const file = path.join(rig.state.logs, 'schemathesis.log');
      fs.writeFileSync(file, output);
      const [, generated = '0'] = /(\d+) generated/.exec(output) ?? [];
      return [
        holds(`all checks of all phases pass (see ${path.basename(file)})`, status === 0),
        atLeast('test cases', Number(generated), 20),
      ];
    }),
  F4: (rig) => smuggled(rig, smuggling(), false),
  F5: (rig) => smuggled(rig, downgrades(), true),
};

const needsHttp2 = () => needsOpenssl() || lackOf(inspect('nginx', binaries().nginx));

module.exports = { cannot: { F5: needsHttp2 }, runs };
