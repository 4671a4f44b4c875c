'use strict';

const { Session } = require('node:inspector/promises');
const { setTimeout: pause } = require('node:timers/promises');

/** A forgotten profile ends by itself. */
const MAX_SECONDS = 60;
/** 1 ms: about a thousand samples a second, for a few per cent of the worker while it runs. */
const INTERVAL_US = 1000;

/** @type {Session | null} the one that is being taken */
let session = null;

/**
 * Takes a CPU profile of this process, from inside: no inspector port is opened, which would let every account
 * of the machine run code in the worker.
 * @param {number} seconds
 * @returns {Promise<string | null>} the profile as V8 writes it (.cpuprofile); null when one is being taken
 */
async function takeProfile(seconds) {
  if (session) return null;
  session = new Session();
  try {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    await session.post('Profiler.start');
    await pause(Math.min(seconds, MAX_SECONDS) * 1000);
    const { profile } = await session.post('Profiler.stop');
    return JSON.stringify(profile);
  } finally {
    session?.disconnect();
    session = null;
  }
}

exports.takeProfile = takeProfile;
exports.MAX_SECONDS = MAX_SECONDS;
