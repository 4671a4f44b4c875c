'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { startNginx } = require('../../lib/nginx');
const { atLeast, exactly } = require('../checks');
const { http2Replies } = require('../hostile/http2-bytes');
const { byHttp2, plainly, sendAll } = require('../hostile/send');
const { canaryId, downgrades, smuggling } = require('../hostile/smuggling');
const { guarded } = require('./hostile');
const { certified, noOpenssl } = require('./tls');

/** @typedef {import('../rig').Rig} Rig */

/** So long that no answer is missed: who goes earlier makes nginx forget what it has given to a worker. */
const silenceMs = 3000;

/** Without "100 Continue", which is none, and without a refusal of what lies behind the first request. @param {string} reply */
function http1Replies(reply) {
  const [first, ...later] = reply.match(/(?<=HTTP\/1\.1 )[2-5]\d\d(?= )/g) ?? [];
  return first ? 1 + later.filter((status) => status !== '400').length : 0;
}

/** @param {string} log of nginx, which is written to its end when it has stopped @returns {number} requests that it gave to workers */
const passedOn = (log) =>
  fs
    .readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap((line) => JSON.parse(line).upstream_status.match(/\d+/g) ?? []).length;

/**
 * Through an nginx of its own, to which nobody else speaks: what it counts that it gave to the workers is what they must count
 * that they answered. A smuggled request is one more of theirs, though nginx throws its answer away.
 * @param {Rig} rig @param {import('../hostile/corpus').Case[]} cases @param {boolean} overHttp2
 */
const sent = (rig, cases, overHttp2) =>
  guarded(rig, async () => {
    const [port, dir] = [rig.port + 7, path.join(rig.dir, 'smuggling')];
    fs.rmSync(dir, { recursive: true, force: true });
    fs.mkdirSync(dir, { recursive: true });
    const tls = overHttp2 ? { ...certified(dir), port: port + 1 } : undefined;
    const workers = rig.workerPorts.map((own) => `127.0.0.1:${own}`);
    const before = await rig.counter('catalog_replies_total');
    const seen = { replies: 0, twice: 0, smuggled: 0 };
    const nginx = await startNginx({ dir, port, workers, tls });
    const judge = (/** @type {unknown} */ _, /** @type {{ reply: string }} */ { reply }) => {
      const replies = (overHttp2 ? http2Replies : http1Replies)(reply);
      seen.replies += replies;
      if (replies > 1) seen.twice += 1;
      if (reply.includes(`product ${canaryId} `)) seen.smuggled += 1;
    };
    await sendAll(cases, overHttp2 ? byHttp2(port + 1) : plainly(port), judge, silenceMs).finally(nginx.stop);
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

/** @type {import('../run').Fault[]} */
const smugglingFaults = [
  {
    id: 'F4',
    title: 'Requests inside of requests',
    done: 'bytes on whose end nginx and Node may disagree, on every kind of route',
    run: (rig) => sent(rig, smuggling(), false),
  },
  {
    id: 'F5',
    title: 'Requests inside of requests of HTTP/2',
    done: 'the same by headers that HTTP/2 must not carry',
    run: (rig) => sent(rig, downgrades(), true),
    cannot: noOpenssl,
  },
];

module.exports = { smugglingFaults };
