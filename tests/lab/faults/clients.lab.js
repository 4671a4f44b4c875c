'use strict';
const { once } = require('node:events');
const net = require('node:net');
const os = require('node:os');
const { setTimeout: sleep } = require('node:timers/promises');

const { descriptorsOf, openFilesLimit, processTree } = require('../../../scripts/lib/proc');
const { runOrThrow } = require('../../../scripts/lib/run');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { unless } = require('../../helpers/skip');
const { answered, atLeast, atMost, epochMs, inOrder, inTime, judge } = require('./chain');
const { rig, scale, scaled, timed, underLoad } = require('./chain');

/** @typedef {Partial<import('../testbed/loadgen/generator').Order>} Order */

/** nginx keeps idle connections to workers for 60 s; each is counted twice, by nginx and by the worker. */
const recoveryMs = 75_000;
const socketsKept = 100;
/** Good clients may wait twice as long beside bad ones; where that would be less than this, this. */
const leastP99Ms = 10;
/** While the bad ones come or leave, on the same cores. */
const changingP99Ms = 500;
/** The replies to the first requests of the bad ones take part of it. */
const settleMs = 1000;

/** @returns {number} of nginx and of the workers */
const socketsNow = () =>
  [...processTree(rig.nginx.pid), ...rig.workerPids()]
    .flatMap(descriptorsOf)
    .filter((name) => name.startsWith('socket:')).length;

/** One after the other: a burst would fill the listen queue of loopback, not the server. */
async function openOne() {
  const socket = net.connect({ host: '127.0.0.1', port: rig.port });
  await once(socket, 'connect').catch(() => {});
  return socket.on('error', () => {});
}

/**
 * Bad clients beside good ones: the good ones must not notice, and what the bad ones took must come back.
 * @param {number} full of connections, at full scale @param {(socket: net.Socket, index: number) => void} behave
 */
async function beside(full, behave) {
  const count = scaled(full);
  const before = socketsNow();
  /** @type {net.Socket[]} */
  const sockets = [];
  let [opened, openMs, leavingMs] = [0, NaN, NaN];
  const course = await underLoad({
    inject: async () => {
      const own = socketsNow(); // of the good ones
      for (let index = 0; index < count; index += 1) {
        sockets.push(await openOne());
        behave(sockets[index], index);
      }
      await waitUntil(() => socketsNow() - own >= count / 2, recoveryMs); // the kernel took them; nginx may be late
      opened = socketsNow() - own;
      openMs = epochMs();
    },
    heal() {
      leavingMs = epochMs();
      sockets.forEach((socket) => socket.destroy());
    },
    seconds: 12,
  });
  const settledMs = openMs + settleMs * scale;
  await waitUntil(() => socketsNow() <= before + socketsKept, recoveryMs);
  const p99Ms = (/** @type {number} */ from, /** @type {number} */ to) => course.observed.between(from, to).p99Ms;
  judge({
    ...answered(course.all),
    opened: [opened, atLeast(count / 2)],
    p99Ms: [p99Ms(settledMs, leavingMs), inTime(Math.max(2 * course.before.p99Ms, leastP99Ms))],
    comingP99Ms: [p99Ms(course.injectedMs, settledMs), inTime(changingP99Ms)],
    leavingP99Ms: [p99Ms(leavingMs, leavingMs + 1000), inTime(changingP99Ms)],
    kept: [socketsNow() - before, atMost(socketsKept)],
  });
}

/** @param {number} count @returns {string | false} */
const needsDescriptors = (count) =>
  openFilesLimit() < count * 1.2 && `needs ulimit -n of ${Math.ceil(count * 1.2)}, it is ${openFilesLimit()}`;

describe('good clients wait at most twice as long beside', () => {
  unless(needsDescriptors(2000)).test('N9a 2,000 connections that send a byte of a header in ten seconds', () =>
    beside(2000, (socket) => {
      socket.write('GET /products/1 HTTP/1.1\r\nHost: x\r\nX-');
      const drip = setInterval(() => socket.write('a'), 10_000 * scale);
      socket.on('close', () => clearInterval(drip));
    }),
  );

  // More document requests than may be open at once: none of these may take a place.
  unless(needsDescriptors(3000)).test('N9b 3,000 connections that send one byte of a body and wait', () =>
    beside(3000, (socket, index) => {
      const line = index % 2 ? 'POST /products' : 'GET /products/1';
      socket.write(`${line} HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\na`);
    }),
  );

  test('N9c 200 connections that request lists of 700 KB and read nothing', () =>
    beside(200, (socket, index) => {
      socket.pause();
      socket.write(`GET /products?count=${2000 + (index % 4)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    }));

  unless(needsDescriptors(10_000)).test('N9d 10,000 keep-alive connections that sent one request', () =>
    beside(10_000, (socket) => {
      socket.resume();
      socket.write('GET /products/1 HTTP/1.1\r\nHost: x\r\n\r\n');
    }),
  );
});

/**
 * At these rates the generator must not be the part that breaks: it compares no bodies, and a pause of half a second finds
 * free connections. Documents alone: lists have another breaking point.
 */
const anyBody = { digests: {}, shares: [0.2, 0.8], timeoutMs: 5000, maxConnections: 24000 };
/** Replies 200 a second. */
const leastPeak = 1000;
/** 200 at three times the peak. */
const leastPercent = 90;
const overloadP99Ms = 500;
const calmMs = 10_000;
const calmRiseMs = 50;
/** Admin listeners, polled fifteen times as often as Prometheus does. */
const slowestPollMs = 1000;

/**
 * The chain gets core 0 and the generator the others: on the same cores the generator would take what the chain needs.
 * @param {number} nginxPid @returns {Promise<() => Promise<void>>} how to undo it
 */
async function separateCores(nginxPid) {
  const pids = [rig.servers.postgres.pid, rig.servers.valkey.pid, rig.pm2Pid, nginxPid].flatMap(processTree);
  const last = os.availableParallelism() - 1;
  const pin = async (/** @type {number[]} */ some, /** @type {string} */ cores) => {
    for (const pid of some) await runOrThrow(['taskset', '--all-tasks', '--cpu-list', '--pid', cores, String(pid)]);
  };
  await pin(pids, '0');
  await pin([process.pid], `1-${last}`);
  return () => pin([...pids, process.pid], `0-${last}`);
}

const rates = [1000, 2000, 4000, 8000, 16_000, 32_000];

/** @param {Order} order */
async function overload(order) {
  const { short } = rig;
  const sent = async (/** @type {number} */ rate, /** @type {number} */ seconds) => {
    const load = await rig.startLoad({ ...order, rate });
    await sleep(seconds * 1000);
    return load.stop();
  };
  await sent(rates[0], short ? 1 : 4); // caches and compiled code first: a cold chain has a lower peak
  let peak = 0;
  for (const rate of rates) {
    const { okPerSecond } = (await sent(rate, short ? 1 : 4)).all();
    peak = Math.max(peak, okPerSecond);
    if (okPerSecond < 0.8 * rate) break;
  }
  const usual = (await sent(peak / 2, short ? 1 : 5)).all();
  const asked = { paths: [['/livez', '/readyz', '/metrics']], shares: [1], digests: {}, rate: 3 };
  const polls = await Promise.all(
    rig.adminPorts.map((port) => rig.startLoad({ ...asked, target: { host: '127.0.0.1', port } })),
  );
  const seen = (await sent(3 * peak, short ? 5 : 120)).all();
  const endedMs = epochMs();
  const after = await sent(peak / 2, short ? 2 : 12);
  for (const poll of polls) {
    const admin = (await poll.stop()).all();
    judge({ ...answered(admin), slowestPollMs: [admin.maxMs, inTime(slowestPollMs)] });
  }
  judge({
    ...inOrder(seen),
    peak: [peak, atLeast(leastPeak)],
    percent: [(100 * seen.okPerSecond) / peak, timed(atLeast(leastPercent))],
    p99Ms: [seen.p99Ms, inTime(overloadP99Ms)],
    refused: [seen.shed, atLeast(1)],
    lastRefusalMs: [after.lastErrorAfterMs(endedMs), inTime(calmMs)],
    riseMs: [after.between(endedMs + calmMs * scale, Infinity).p99Ms - usual.p99Ms, inTime(calmRiseMs)],
  });
}

/** One core has one worker, so another nginx counts the requests of that one alone. */
unless(os.availableParallelism() < 2 && 'needs two cores').test(
  'N10 at three times the peak of one core, 90 % of it is answered',
  async () => {
    const nginx = await rig.startNginx('one-core', { workers: rig.upstreams.slice(0, 1) });
    const undo = await separateCores(nginx.pid);
    await overload({ ...anyBody, target: { host: '127.0.0.1', port: nginx.port } }).finally(async () => {
      await undo();
      await nginx.stop();
    });
  },
);
