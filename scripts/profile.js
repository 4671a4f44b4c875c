'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('./lib/runtime');
const { runningStack, stateFolder } = require('./local/state');
const { UsageError, wholeNumber } = require('./lib/command-line');
const { runCommand, text } = require('./lib/words');

const help = `npm run profile -- [--seconds N] [--worker N | --admin HOST:PORT] [--state DIR]

Takes a CPU profile of a running worker. Profile it under traffic: an idle worker shows nothing.

  --seconds N          duration (default 10, at most 60)
  --worker N           which worker of the running stack (default 1)
  --admin HOST:PORT    the admin listener of any worker on this machine, or the end of a tunnel to one, with PROFILING=on
  --state DIR          folder of the running stack (default .state of the clone)
  --help               this text

Writes results/profile/TIME.cpuprofile. Open it in Chrome DevTools (Performance, Load profile), in VS Code, or in
https://www.speedscope.app.`;

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

const options = { seconds: text('10'), worker: text('1'), admin: text(), state: text() };

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
