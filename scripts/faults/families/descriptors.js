'use strict';
const net = require('node:net');

const { openFilesLimit } = require('../../lib/proc');
const { atMost, holds } = require('../checks');
const { limitOpenFiles, nextDescriptor } = require('../processes');
const { underLoad, withoutExit } = require('../scenario');
const { nothingLost } = require('./workers');

/** @typedef {import('../rig').Rig} Rig */

/** @param {number} port @returns {Promise<boolean>} whether a new connection brings a reply within a second */
const answersStranger = (port) =>
  new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port }, () =>
      socket.write('GET /products/1 HTTP/1.1\r\nHost: x\r\n\r\n'),
    );
    const told = (/** @type {boolean} */ answered) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(1000, () => told(false));
    socket.once('data', () => told(true));
    socket.once('error', () => told(false));
    socket.once('end', () => told(false));
  });

/** @param {Rig} rig */
async function noDescriptors(rig) {
  const pid = rig.pidOf(0);
  const usual = openFilesLimit(pid);
  return withoutExit(rig, async () => {
    let answered = true;
    const course = await underLoad(rig, {
      inject: async () => {
        await limitOpenFiles(pid, nextDescriptor(pid));
        answered = await answersStranger(rig.workerPorts[0]);
      },
      heal: () => limitOpenFiles(pid, usual),
      order: { rate: 3 * rig.rate },
    });
    const { observed, healedMs } = course;
    return [
      ...nothingLost(course),
      holds('a new connection to that worker finds no descriptor', !answered),
      atMost('last error after the relief', observed.lastErrorAfterMs(healedMs), 5000, ' ms'),
    ];
  });
}

/** @type {import('../run').Fault[]} */
const descriptorFaults = [
  {
    id: 'N8',
    title: 'Descriptors exhausted',
    done: 'prlimit: one worker gets no descriptor above those that it has',
    run: noDescriptors,
  },
];

module.exports = { descriptorFaults };
