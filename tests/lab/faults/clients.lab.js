'use strict';
const { once } = require('node:events');
const net = require('node:net');
const os = require('node:os');

const { openFilesLimit, processTree } = require('../../../../scripts/lib/proc');
const { runOrThrow } = require('../../../../scripts/lib/run');
const { waitUntil } = require('../../../../scripts/lib/wait-until');
const { openDescriptors } = require('../../testbed/processes');
const { allAnswered, atLeast, atMost, exactly } = require('../checks');
const { epochMs, findBreakingPoint, loadFor, pollAdmin, scaled, underLoad } = require('../scenario');

/** @import { Rig } from '../../testbed/rig' */

/** nginx keeps idle connections to workers for 60 s; each is counted twice, by nginx and by the worker. */
const recoveryMs = 75_000;
const margin = 100;
/** Good clients may wait twice as long beside bad ones; where that would be less than this, this. */
const leastP99Ms = 10;
/** The replies to the first requests of the bad ones take part of it. */
const settleMs = 1000;

/** @param {Rig} rig @returns {number} of nginx and of the workers */
const socketsOf = (rig) =>
  [...processTree(rig.nginx.pid), ...rig.workerPids()].reduce((sum, pid) => sum + openDescriptors(pid).sockets, 0);

/** One after the other: a burst would fill the listen queue of loopback, not the server. @param {number} port */
async function openOne(port) {
  const socket = net.connect({ host: '127.0.0.1', port });
  await once(socket, 'connect').catch(() => {});
  return socket.on('error', () => {});
}

/**
 * Bad clients beside good ones: the good ones must not notice, and what the bad ones took must come back.
 * @param {Rig} rig @param {number} full of connections, at full scale
 * @param {(socket: net.Socket, index: number) => void} behave
 */
async function beside(rig, full, behave) {
  const count = scaled(rig, full);
  const before = socketsOf(rig);
  /** @type {net.Socket[]} */
  const sockets = [];
  let [opened, openMs, leavingMs] = [0, NaN, NaN];
  const course = await underLoad(rig, {
    inject: async () => {
      const own = socketsOf(rig); // of the good ones
      for (let index = 0; index < count; index += 1) {
        sockets.push(await openOne(rig.port));
        behave(sockets[index], index);
      }
      await waitUntil(() => socketsOf(rig) - own >= count / 2, recoveryMs); // the kernel took them; nginx may be late
      opened = socketsOf(rig) - own;
      openMs = epochMs();
    },
    heal() {
      leavingMs = epochMs();
      sockets.forEach((socket) => socket.destroy());
    },
    seconds: 12,
  });
  const { all, observed, injectedMs } = course;
  const settledMs = openMs + settleMs * Math.min(1, rig.scale);
  await waitUntil(() => socketsOf(rig) <= before + margin, recoveryMs);
  const p99Ms = (/** @type {number} */ from, /** @type {number} */ to) => observed.between(from, to).p99Ms;
  const [usual, limit] = [course.before.p99Ms.toFixed(1), Math.max(2 * course.before.p99Ms, leastP99Ms)];
  return [
    ...allAnswered(all),
    atLeast('bad connections that were open', opened, count / 2),
    atMost(`p99 of the good ones beside them, before ${usual} ms`, p99Ms(settledMs, leavingMs), limit, ' ms'),
    atMost('p99 while they come, made on the same cores', p99Ms(injectedMs, settledMs), 500, ' ms'),
    atMost('p99 in the second in which they leave', p99Ms(leavingMs, leavingMs + 1000), 500, ' ms'),
    atMost('sockets of nginx and workers more than before', socketsOf(rig) - before, margin),
  ];
}

/**
 * At these rates the generator must not be the part that breaks: it compares no bodies, and a pause of half a second finds
 * free connections. Documents alone: lists have another breaking point.
 */
const anyBody = { digests: {}, shares: [0.2, 0.8], timeoutMs: 5000, maxConnections: 24000 };

/**
 * The chain gets core 0 and the generator the others: on the same cores the generator would take what the chain needs.
 * @param {Rig} rig @param {number} nginxPid
 * @returns {Promise<() => Promise<void>>} how to undo it
 */
async function separateCores(rig, nginxPid) {
  const pids = [rig.servers.postgres.pid, rig.servers.valkey.pid, rig.pm2Pid, nginxPid].flatMap(processTree);
  const last = os.availableParallelism() - 1;
  const pin = async (/** @type {number[]} */ some, /** @type {string} */ cores) => {
    for (const pid of some) await runOrThrow(['taskset', '--all-tasks', '--cpu-list', '--pid', cores, String(pid)]);
  };
  await pin(pids, '0');
  await pin([process.pid], `1-${last}`);
  return () => pin([...pids, process.pid], `0-${last}`);
}

/** @param {Rig} rig @param {Partial<import('../../testbed/loadgen/generator').Order>} order */
async function measureOverload(rig, order) {
  const short = rig.scale < 1;
  const { breakingRate, peakPerSecond } = await findBreakingPoint(rig, short ? 1 : 4, order);
  const loaded = (/** @type {number} */ rate, /** @type {number} */ seconds) =>
    loadFor(rig, seconds, { ...order, rate });
  const usual = (await loaded(breakingRate / 2, short ? 1 : 5)).all();
  const stopPolling = await pollAdmin(rig, ['/livez', '/readyz', '/metrics']);
  const overload = (await loaded(3 * breakingRate, short ? 5 : 120)).all();
  const endedMs = epochMs();
  const after = await loaded(breakingRate / 2, short ? 2 : 12);
  const admin = await stopPolling();
  const { asked, shed, failed, otherErrors, withoutRetryAfter, p99Ms, okPerSecond } = overload;
  const calmFromMs = endedMs + 10_000 * Math.min(1, rig.scale);
  const slower = after.between(calmFromMs, Infinity).p99Ms - usual.p99Ms;
  return [
    atLeast('breaking point', breakingRate, 1000, ' requests a second'),
    atLeast('answered 200 at three times it, of the peak', (100 * okPerSecond) / peakPerSecond, 90, ' %'),
    atMost('p99 of the 200', p99Ms, 500, ' ms'),
    atLeast('refused', shed, 1),
    exactly('refused without Retry-After', withoutRetryAfter),
    exactly(`of ${asked} neither 200 nor 503`, failed + otherErrors),
    atMost('last refusal after its end', after.lastErrorAfterMs(endedMs), 10_000, ' ms'),
    atMost('p99 then, above the usual', slower, 50, ' ms'),
    ...admin,
  ];
}

/** @type {import('../run').Runs} */
const runs = {
  N9a: (rig) =>
    beside(rig, 2000, (socket) => {
      socket.write('GET /products/1 HTTP/1.1\r\nHost: x\r\nX-');
      const drip = setInterval(() => socket.write('a'), 10_000 * Math.min(1, rig.scale));
      socket.on('close', () => clearInterval(drip));
    }),

  /** More document requests than may be open at once: none of these may take a place. */
  N9b: (rig) =>
    beside(rig, 3000, (socket, index) => {
      const line = index % 2 ? 'POST /products' : 'GET /products/1';
      socket.write(`${line} HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\na`);
    }),

  N9c: (rig) =>
    beside(rig, 200, (socket, index) => {
      socket.pause();
      socket.write(`GET /products?count=${2000 + (index % 4)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    }),

  N9d: (rig) =>
    beside(rig, 10_000, (socket) => {
      socket.resume();
      socket.write('GET /products/1 HTTP/1.1\r\nHost: x\r\n\r\n');
    }),

  /** One core has one worker, so another nginx counts the requests of that one alone. */
  async N10(rig) {
    const nginx = await rig.startNginx('one-core', { workers: rig.upstreams.slice(0, 1) });
    const undo = await separateCores(rig, nginx.pid);
    const order = { ...anyBody, target: { host: '127.0.0.1', port: nginx.port } };
    return measureOverload(rig, order).finally(async () => {
      await undo();
      await nginx.stop();
    });
  },
};

/** @param {number} count @returns {() => string} */
const needsDescriptors = (count) => () =>
  openFilesLimit() < count * 1.2 ? `needs ulimit -n of ${Math.ceil(count * 1.2)}, it is ${openFilesLimit()}` : '';

const cannot = {
  ...{ N9a: needsDescriptors(2000), N9b: needsDescriptors(3000), N9d: needsDescriptors(10_000) },
  N10: () => (os.availableParallelism() < 2 ? 'needs two cores' : ''),
};

module.exports = { cannot, runs };
