'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const TEXT = 'text/plain; charset=utf-8';
const DEFAULT_SECONDS = 10;
/** A forgotten profile ends by itself. */
const MAX_SECONDS = 60;
/** 1 ms: about a thousand samples a second, for a few per cent of the worker while it runs. */
const INTERVAL_US = 1000;

/** @type {import('node:inspector/promises').Session | null} of the profile that is being taken */
let session = null;

/**
 * Takes a CPU profile of this process, from inside: no inspector port is opened, which would let every account
 * of the machine run code in the worker.
 * @param {number} seconds
 * @returns {Promise<string | null>} the profile as V8 writes it (.cpuprofile); null when one is being taken
 */
async function takeProfile(seconds) {
  if (session) return null;
  // Not at the top: a worker that is never profiled never loads the inspector.
  const { Session } = require('node:inspector/promises');
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

/**
 * POST /profile?seconds=N answers with a CPU profile. It costs the worker a few per cent while it runs, so it is
 * off until PROFILING says otherwise, and only for clients on this machine, whatever ADMIN_HOST is.
 * @param {import('node:http').IncomingMessage} req
 * @param {URL} url
 * @param {boolean} allowed
 * @returns {Promise<import('./admin-server').Answer>}
 */
async function profile(req, url, allowed) {
  const { remoteAddress, localAddress } = req.socket;
  // Both ends of a connection have one address only when both are here.
  if (remoteAddress !== localAddress) return [403, TEXT, 'only from this machine\n'];
  if (!allowed) return [403, TEXT, 'off: set PROFILING=on and reload the worker\n'];
  if (req.method !== 'POST') return [405, TEXT, 'POST starts a profile\n'];
  const seconds = Number(url.searchParams.get('seconds') ?? DEFAULT_SECONDS);
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) return [400, TEXT, `seconds must be above 0, up to ${MAX_SECONDS}\n`];
  const taken = await takeProfile(seconds);
  return taken ? [200, 'application/json', taken] : [409, TEXT, 'a profile is already being taken; wait for its end\n'];
}

exports.profile = profile;
