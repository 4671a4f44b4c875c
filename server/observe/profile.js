'use strict';

const TEXT = 'text/plain; charset=utf-8';
const DEFAULT_SECONDS = 10;

/**
 * POST /profile?seconds=N answers with a CPU profile. It costs the worker a few per cent while it runs, so it is
 * off until PROFILING says otherwise, and only for callers on this machine, wherever the listener listens.
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
  // Not at the top: a worker that is never profiled never loads the inspector.
  const { MAX_SECONDS, takeProfile } = require('./profiler');
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) return [400, TEXT, `seconds must be above 0, up to ${MAX_SECONDS}\n`];
  const taken = await takeProfile(seconds);
  return taken ? [200, 'application/json', taken] : [409, TEXT, 'a profile is already being taken; wait for its end\n'];
}

exports.profile = profile;
