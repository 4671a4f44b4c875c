'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('./lib/runtime');
const { runningStack, stateFolder, stateOption } = require('./local/state');
const { UsageError, wholeNumber } = require('./lib/command-line');
const { option, runCommand } = require('./lib/words');

/** @param {string} dir @param {string} worker @returns {string} host and port of its admin listener */
function adminOf(dir, worker) {
  const { adminPorts } = runningStack(dir, 'name a worker: --admin HOST:PORT');
  return `127.0.0.1:${adminPorts[wholeNumber('worker', worker, adminPorts.length) - 1]}`;
}

/** @param {string} admin @param {number} seconds @returns {Promise<string>} the profile, JSON */
async function takeProfile(admin, seconds) {
  const url = `http://${admin}/profile?seconds=${seconds}`;
  const response = await fetch(url, { method: 'POST' }).catch((error) => {
    throw new UsageError(`${url} does not answer: ${error.cause?.message ?? error.message}`);
  });
  const body = await response.text();
  if (response.ok) return body;
  throw new UsageError(`${url} answers ${response.status}: ${body.trim()}`);
}

const help = {
  about: 'Takes a CPU profile of a running worker. Profile it under traffic: an idle worker shows nothing.',
  more: 'Writes results/profile/TIME.cpuprofile. Open it in Chrome DevTools (Performance, Load profile), in VS Code, or in https://www.speedscope.app.',
};
const options = {
  seconds: option('N', 'duration, at most 60', '10'),
  worker: option('N', 'which worker of the running stack', '1'),
  admin: option(
    'HOST:PORT',
    'the admin listener of any worker on this machine, or the end of a tunnel to one, with PROFILING=on',
  ),
  state: stateOption,
};

runCommand('npm run profile', { help, options }, async ({ values }) => {
  const seconds = wholeNumber('seconds', values.seconds, 60);
  const admin = values.admin ?? adminOf(stateFolder(values.state), values.worker);
  console.error(`profiling ${admin} for ${seconds} s`);
  const profile = await takeProfile(admin, seconds);
  const folder = path.join(root, 'results/profile');
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.cpuprofile`);
  fs.writeFileSync(file, profile);
  console.log(file);
  console.log('open it in Chrome DevTools (Performance, Load profile), VS Code, or https://www.speedscope.app');
});
