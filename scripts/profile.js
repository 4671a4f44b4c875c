'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { UsageError } = require('./lib/options');
const { root } = require('./lib/runtime');
const { describeState } = require('./lib/state');
const { flameGraph } = require('./monitoring/flame-graph');
const { busyShare, foldProfile } = require('./monitoring/fold');

const help = `npm run profile -- [--seconds N] [--worker N | --admin HOST:PORT] [--state DIR]

Takes a CPU profile of a running worker and draws it as a flame graph. Profile it under load: an idle one shows nothing.

  --seconds N          how long (default 10, at most 60)
  --worker N           which worker of the running stack (default 1)
  --admin HOST:PORT    the admin listener of any worker on this machine, with PROFILING=on
  --state DIR          folder of the running stack (default .state)
  --help               this text

Writes results/profile/TIME.cpuprofile (for Chrome's developer tools) and TIME.html (open it in any browser).`;

/** @param {string} dir @param {string} worker @returns {string} host and port of its admin listener */
function adminOf(dir, worker) {
  const file = path.join(describeState(dir).dir, 'stack.json');
  if (!fs.existsSync(file)) throw new UsageError(`no stack runs on ${dir}: npm start, or --admin`);
  const { adminPorts } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const port = adminPorts[Number(worker) - 1];
  if (!port)
    throw new UsageError(`--worker ${worker}: there are workers 1 to ${adminPorts.length}`);
  return `127.0.0.1:${port}`;
}

/** @param {string} admin @param {number} seconds @returns {Promise<string>} the profile, JSON */
async function takeProfile(admin, seconds) {
  const url = `http://${admin}/profile?seconds=${seconds}`;
  const response = await fetch(url, { method: 'POST' }).catch((error) => {
    throw new UsageError(`${url} does not answer: ${error.cause?.message ?? error.message}`);
  });
  const text = await response.text();
  if (response.ok) return text;
  throw new UsageError(`${url} answers ${response.status}: ${text.trim()}`);
}

async function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '10' },
      worker: { type: 'string', default: '1' },
      admin: { type: 'string' },
      state: { type: 'string', default: '.state' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void console.log(help);
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= 60)) throw new UsageError('--seconds: from 1 to 60');
  const cwd = values.state === '.state' ? root : (process.env.INIT_CWD ?? process.cwd());
  const admin = values.admin ?? adminOf(path.resolve(cwd, values.state), values.worker);
  console.error(`profiling ${admin} for ${seconds} s`);
  const text = await takeProfile(admin, seconds);
  const tree = foldProfile(JSON.parse(text));
  const folder = path.join(root, 'results/profile');
  fs.mkdirSync(folder, { recursive: true });
  const base = path.join(folder, new Date().toISOString().slice(0, 19).replaceAll(':', '-'));
  const title = `worker at ${admin}, ${seconds} s, ${Math.round(busyShare(tree) * 100)} % busy`;
  fs.writeFileSync(`${base}.cpuprofile`, text);
  fs.writeFileSync(`${base}.html`, flameGraph(tree, title));
  console.log(`${title}\n${base}.html`);
}

main().catch((error) => {
  console.error(`profile: ${error.message}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
