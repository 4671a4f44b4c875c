'use strict';
const net = require('node:net');

const { openFilesLimit, processTree } = require('../../lib/proc');
const { waitUntil } = require('../../lib/wait-until');
const { atLeast, atMost } = require('../checks');
const { openDescriptors } = require('../processes');
const { epochMs, underLoad, wait, withoutExit } = require('../scenario');
const { nothingLost } = require('./workers');

/** @typedef {import('../rig').Rig} Rig */

/** Connections are opened some at a time: a burst would fill the listen queue of loopback, not the server. */
const burst = 250;
/** nginx keeps idle connections to workers for 60 s; each is counted twice, by nginx and by the worker. */
const recoveryMs = 75_000;
const margin = 100;
/** Good clients may wait twice as long beside bad ones; where that would be less than this, this. */
const leastP99Ms = 10;
/** What they asked for at once is still being answered in it. */
const settleMs = 1000;

/**
 * @param {Rig} rig @param {number} count
 * @param {(socket: net.Socket, index: number) => void} behave once connected
 * @returns {Promise<net.Socket[]>}
 */
async function openMany(rig, count, behave) {
  /** @type {net.Socket[]} */
  const sockets = [];
  for (let index = 0; index < count; index += burst) {
    const batch = Array.from({ length: Math.min(burst, count - index) }, (_, offset) =>
      openOne(rig, (socket) => behave(socket, index + offset)),
    );
    sockets.push(...(await Promise.all(batch)));
  }
  return sockets;
}

/** @param {Rig} rig @param {(socket: net.Socket) => void} behave @returns {Promise<net.Socket>} */
function openOne(rig, behave) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port: rig.port });
    socket.on('error', () => resolve(socket));
    socket.once('connect', () => {
      behave(socket);
      resolve(socket);
    });
  });
}

/** @param {Rig} rig @returns {number} of nginx and of the workers */
const socketsOf = (rig) =>
  [...processTree(rig.nginx.pid), ...rig.workerPids()].reduce((sum, pid) => sum + openDescriptors(pid).sockets, 0);

/**
 * Bad clients beside good ones: the good ones must not notice, and what the bad ones took must come back.
 * @param {Rig} rig @param {() => Promise<net.Socket[]>} attack @param {number} count
 */
const beside = (rig, attack, count) =>
  withoutExit(rig, async () => {
    const before = socketsOf(rig);
    /** @type {net.Socket[]} */
    let sockets = [];
    let opened = 0;
    const moments = { openMs: NaN, leavingMs: NaN };
    const course = await underLoad(rig, {
      inject: async () => {
        const own = socketsOf(rig); // of the good ones
        sockets = await attack();
        await waitUntil(() => socketsOf(rig) - own >= count / 2, recoveryMs); // the kernel took them; nginx may be late
        opened = socketsOf(rig) - own;
        moments.openMs = epochMs();
      },
      heal() {
        moments.leavingMs = epochMs();
        sockets.forEach((socket) => socket.destroy());
      },
      seconds: 12,
    });
    const { observed, injectedMs } = course;
    const { leavingMs } = moments;
    const settledMs = moments.openMs + settleMs * Math.min(1, rig.scale);
    await waitUntil(() => socketsOf(rig) <= before + margin, recoveryMs);
    return [
      ...nothingLost(course),
      atLeast('bad connections that were open', opened, count / 2),
      atMost(
        `p99 of the good ones beside them, before ${course.before.p99Ms.toFixed(1)} ms`,
        observed.between(settledMs, leavingMs).p99Ms,
        Math.max(2 * course.before.p99Ms, leastP99Ms),
        ' ms',
      ),
      // Their maker is at work then, on the same cores.
      atMost('p99 while they come', observed.between(injectedMs, settledMs).p99Ms, 500, ' ms'),
      atMost('p99 in the second in which they leave', observed.between(leavingMs, leavingMs + 1000).p99Ms, 500, ' ms'),
      atMost('sockets of nginx and workers more than before', socketsOf(rig) - before, margin),
    ];
  });

/** @param {Rig} rig @param {number} full */
const scaled = (rig, full) => Math.round(full * Math.min(1, rig.scale));

/** One byte of a header in ten seconds. @param {Rig} rig */
function slowloris(rig) {
  const count = scaled(rig, 2000);
  const attack = () =>
    openMany(rig, count, (socket) => {
      socket.write('GET /products/1 HTTP/1.1\r\nHost: x\r\nX-');
      const drip = setInterval(() => socket.write('a'), 10_000 * Math.min(1, rig.scale));
      socket.on('close', () => clearInterval(drip));
    });
  return beside(rig, attack, count);
}

/** Long lists, and nobody reads them. @param {Rig} rig */
function slowReaders(rig) {
  const count = scaled(rig, 200);
  const attack = () =>
    openMany(rig, count, (socket, index) => {
      socket.pause();
      socket.write(`GET /products?count=${2000 + (index % 4)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    });
  return beside(rig, attack, count);
}

/** @param {Rig} rig */
async function slowBodies(rig) {
  const count = scaled(rig, 3000);
  // Of documents more than may be under way at once: none of these may take a place.
  const attack = () =>
    openMany(rig, count, (socket, index) => {
      const line = index % 2 ? 'POST /products' : 'GET /products/1';
      socket.write(`${line} HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\na`);
    });
  return beside(rig, attack, count);
}

/** @param {Rig} rig */
function idle(rig) {
  const count = scaled(rig, 10_000);
  const attack = async () => {
    const sockets = await openMany(rig, count, (socket) => {
      socket.resume();
      socket.write('GET /products/1 HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    await wait(rig, 1);
    return sockets;
  };
  return beside(rig, attack, count);
}

/** @param {number} count @returns {() => string} */
const needsDescriptors = (count) => () =>
  openFilesLimit() < count * 1.2 ? `needs ulimit -n of ${Math.ceil(count * 1.2)}, it is ${openFilesLimit()}` : '';

/** @type {import('../run').Fault[]} */
const clientFaults = [
  {
    id: 'N9a',
    title: 'Slowloris',
    done: '2,000 connections that send one byte of a header in ten seconds',
    run: slowloris,
    cannot: needsDescriptors(2000),
  },
  {
    id: 'N9b',
    title: 'Slow bodies',
    done: '3,000 connections that send one byte of a body and wait, every other one for a document',
    run: slowBodies,
    cannot: needsDescriptors(3000),
  },
  {
    id: 'N9c',
    title: 'Slow readers',
    done: '200 connections that ask for lists of 700 KB and read nothing',
    run: slowReaders,
  },
  {
    id: 'N9d',
    title: 'Idle clients',
    done: '10,000 keep-alive connections that asked once',
    run: idle,
    cannot: needsDescriptors(10_000),
  },
];

module.exports = { clientFaults };
