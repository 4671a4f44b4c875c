'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { runTool } = require('../../lib/run');
const { python } = require('../../lib/runtime');
const { atLeast, exactly, holds } = require('../checks');
const { corpus } = require('../hostile/corpus');
const { plainly, sendAll } = require('../hostile/send');
const { canaryId } = require('../hostile/smuggling');
const { withoutExit } = require('../scenario');

/** @typedef {import('../rig').Rig} Rig */

/** Fixed, so that what failed once can be looked at again. */
const seed = 20_261_121;
/** Of our own code and packages, in a stack trace. */
const insides = /\/server\/|node_modules|\bat \w+.*:\d+:\d+|SELECT |pg_|SQLSTATE/;

/** What the request itself said comes back in the problem's words, and shows nothing. @param {Buffer} sent @param {string} reply */
function showsInside(sent, reply) {
  const [found] = /HTTP\/1\.1 [45]/.test(reply) ? (insides.exec(reply) ?? []) : [];
  return found !== undefined && !sent.includes(found);
}

/** @param {Rig} rig @returns {string[]} errors that PostgreSQL logged so far */
const sqlErrors = (rig) =>
  fs
    .readFileSync(path.join(rig.state.logs, 'postgres.log'), 'utf8')
    .split('\n')
    .filter((line) => /\b(ERROR|FATAL|PANIC):/.test(line));

/**
 * Watches what bad input may not do, whoever sends it.
 * @param {Rig} rig @param {() => Promise<import('../checks').Check[]>} work
 */
const guarded = (rig, work) =>
  withoutExit(rig, async () => {
    const errors = sqlErrors(rig).length;
    const connections = rig.proxies.postgres.accepted;
    const failures = await rig.counter('catalog_handler_failures_total');
    const checks = await work();
    return [
      ...checks,
      exactly('SQL errors in the log of PostgreSQL', sqlErrors(rig).length - errors),
      exactly('new database connections', rig.proxies.postgres.accepted - connections),
      exactly('unexpected errors in a worker', (await rig.counter('catalog_handler_failures_total')) - failures),
    ];
  });

/** @param {Rig} rig @param {number} port @param {number} count */
const bytes = (rig, port, count) =>
  guarded(rig, async () => {
    const seen = { replies: 0, errors: 0, hanging: 0, miscounted: 0, open: 0, smuggled: 0, insides: 0 };
    /** @type {Set<string>} */
    const guilty = new Set();
    const cases = corpus({
      seed,
      count: Math.max(500, Math.round(count * Math.min(1, rig.scale))),
    });
    const report = (/** @type {string} */ what, /** @type {import('../hostile/corpus').Case} */ one) =>
      guilty.add(`${what} after ${one.kind}: ${one.bytes.toString('latin1').slice(0, 80)}`);
    await sendAll(cases, plainly(port), (one, { reply, silent }) => {
      const statuses = [...reply.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      seen.replies += statuses.length;
      // 501 is what RFC 9112 §6.1 asks for when a transfer coding is unknown.
      if (statuses.some((status) => status >= 500 && status !== 501)) {
        seen.errors += 1;
        report('5xx', one);
      }
      if (one.complete && silent) {
        seen.hanging += 1;
        report('no end', one);
      }
      if (one.replies !== undefined && statuses.length !== one.replies) {
        seen.miscounted += 1;
        report(`${statuses.length} replies`, one);
      }
      if (one.status !== undefined && `${statuses}` !== `${one.status}`) {
        seen.open += 1;
        report(`${statuses}`, one);
      }
      if (reply.includes(`product ${canaryId} `)) seen.smuggled += 1;
      if (showsInside(one.bytes, reply)) seen.insides += 1;
    });
    guilty.forEach((one) => rig.say(`      ${JSON.stringify(one)}`));
    return [
      atLeast('requests sent', cases.length, rig.scale < 1 ? 500 : count),
      atLeast('replies to them', seen.replies, cases.length / 2),
      exactly('answered 5xx', seen.errors),
      exactly('complete requests whose connection neither brought all nor ended', seen.hanging),
      exactly('pipelines with another number of replies than of requests', seen.miscounted),
      exactly('closed paths answered otherwise than 404', seen.open),
      exactly('smuggled requests that were answered', seen.smuggled),
      exactly('replies that show the inside', seen.insides),
    ];
  });

/** @param {Rig} rig */
const fuzzed = (rig) =>
  guarded(rig, async () => {
    const config = path.join(__dirname, '../hostile/schemathesis.toml');
    const words = [
      ...['--config-file', config],
      'run',
      `${rig.url}/openapi.json`,
      '--checks',
      'all',
      '--mode',
      'all',
      '--no-color',
    ];
    const examples = String(Math.max(5, Math.round(100 * Math.min(1, rig.scale))));
    const { status, output } = await runTool(
      [
        // It keeps what it found in the folder that it stands in.
        ...['env', '-C', rig.state.logs, path.join(path.dirname(python), 'schemathesis')],
        ...words,
        '--max-examples',
        examples,
        '--seed',
        String(seed),
      ],
      { keepOutput: true },
    );
    const file = path.join(rig.state.logs, 'schemathesis.log');
    fs.writeFileSync(file, output);
    const [, generated = '0'] = /(\d+) generated/.exec(output) ?? [];
    return [
      holds(`all checks of all phases pass (else see ${path.basename(file)})`, status === 0),
      atLeast('test cases', Number(generated), 20),
    ];
  });

/** @type {import('../run').Fault[]} */
const hostileFaults = [
  {
    id: 'F1',
    title: 'Hostile bytes to nginx',
    done: '10,000 requests that no client would send',
    run: (rig) => bytes(rig, rig.port, 10_000),
  },
  {
    id: 'F2',
    title: 'Hostile bytes to a worker',
    done: 'the same past nginx',
    run: (rig) => bytes(rig, rig.workerPorts[0], 10_000),
  },
  {
    id: 'F3',
    title: 'Fuzzed by the API description',
    done: 'schemathesis, all checks, all phases, over /openapi.json',
    run: fuzzed,
  },
];

module.exports = { guarded, hostileFaults };
