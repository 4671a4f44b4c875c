'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { loadCatalog } = require('../../lib/commands');
const { hasIpv6Loopback } = require('../../lib/ports');
const { environment } = require('../../lib/environment');
const { runTool } = require('../../lib/run');
const { secretsOf } = require('../../lib/state');
const { processTree } = require('../../lib/proc');
const { exactly, holds, notMeasured } = require('../checks');
const { commandLines, listeners, userOf } = require('../processes');
const { wait } = require('../scenario');

/** @typedef {import('../rig').Rig} Rig */

/** @param {Rig} rig every process of the chain */
const chain = (rig) =>
  [rig.servers.postgres.pid, rig.servers.valkey.pid, rig.pm2Pid, rig.nginx.pid].flatMap(processTree);

/** @param {string[]} found @param {string[]} wanted */
const differences = (found, wanted) => [
  ...found.filter((one) => !wanted.includes(one)).map((one) => `+${one}`),
  ...wanted.filter((one) => !found.includes(one)).map((one) => `-${one}`),
];

/** As the kernel writes ::1. */
const ipv6Loopback = '00000000000000000000000001000000';

/** @param {Rig} rig */
async function listening(rig) {
  const workers = [...rig.workerPorts, ...rig.adminPorts];
  const ipv6 = (await hasIpv6Loopback()) ? [rig.port, ...workers] : [];
  const wanted = [
    `0.0.0.0:${rig.port}`,
    ...workers.map((port) => `127.0.0.1:${port}`),
    ...ipv6.map((port) => `${ipv6Loopback}:${port}`),
  ];
  const differing = differences(listeners(chain(rig)), wanted);
  return [
    holds(
      `listens on exactly ${wanted.length} addresses, one of them public`,
      differing.length === 0,
      differing.join(' ') || 'yes',
    ),
  ];
}

/** @param {string} folder @returns {string[]} every file below it */
const filesBelow = (folder) =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

/**
 * By grep, since the log of an overload may be longer than a string can be; the words go to its stdin, not into a command line.
 * @param {string[]} files @param {string[]} words @returns {string[]} the files that have one
 */
function filesWith(files, words) {
  const options = { input: words.join('\n'), encoding: /** @type {const} */ ('utf8') };
  const { status, stdout, stderr, error } = spawnSync('grep', ['-alFf', '-', '--', ...files], options);
  if (status !== 0 && status !== 1) throw error ?? new Error(stderr); // 1: none
  return stdout.split('\n').filter(Boolean);
}

/** @param {Rig} rig */
async function secrets(rig) {
  const passwords = Object.values(secretsOf(rig.state, []));
  const showsOne = (/** @type {string} */ text) => passwords.some((one) => text.includes(one));
  // While a load runs: its processes are given a password too.
  const load = runTool([...loadCatalog(rig.servers.data, rig.state.rejects), '--again'], {
    env: environment('loader', rig.servers.loaderEnv),
    keepOutput: true,
  });
  const told = new Set();
  let seen = 0;
  for (let running = true; running;) {
    for (const line of commandLines()) if (showsOne(line)) told.add(line.slice(0, 60));
    seen += 1;
    running = !(await Promise.race([load.then(() => true), wait(rig, 0.3).then(() => false)]));
  }
  const { output } = await load;
  await rig.refreshTruth();
  const files = new Set([rig.state.dir, rig.state.pm2].flatMap(filesBelow)); // PM2's folder may lie in the state folder
  const logs = [...files].filter((file) => /\.log$|rejects|dump/.test(file));
  const guilty = filesWith(logs, passwords);
  return [
    holds('passwords exist, logs exist, processes were seen', passwords.length >= 3 && logs.length >= 4 && seen > 0),
    exactly('command lines that show a password', told.size),
    exactly(`of ${logs.length} log files that show a password`, guilty.length),
    holds('the output of a load shows none', !showsOne(output)),
    holds('the file of passwords is its owner’s alone', (fs.statSync(rig.state.secrets).mode & 0o077) === 0),
  ];
}

/** @param {Rig} rig */
async function privileges(rig) {
  const asRoot = process.getuid?.() === 0;
  const roots = (/** @type {number[]} */ pids) => pids.filter((pid) => userOf(pid) === 0).length;
  const nginxWorkers = processTree(rig.nginx.pid).slice(1);
  const own = [
    exactly('nginx workers that run as root', roots(nginxWorkers)),
    holds('nginx has workers', nginxWorkers.length > 0),
  ];
  const what = 'processes of the chain that run as root';
  return [
    ...own,
    asRoot
      ? notMeasured(what, '0', 'started by root; `npm run provision:test` counts those of a node')
      : exactly(what, roots(chain(rig))),
  ];
}

const wantedHeaders = {
  'x-content-type-options': /^nosniff$/,
  'cache-control': /no-store|must-revalidate/,
  'content-type': /^(application\/(problem\+)?json|text\/html)/,
  'access-control-allow-origin': /^\*$/,
};
const unwantedHeaders = ['x-powered-by', 'via', 'x-aspnet-version'];

/** @param {Rig} rig */
async function headers(rig) {
  const paths = [
    '/products',
    '/products/1',
    '/products/x',
    '/nowhere',
    '/metrics',
    '/docs',
    '/openapi.json',
    `/${'a'.repeat(8000)}`,
  ];
  const wrong = [];
  for (const each of paths) {
    const reply = await fetch(rig.url + each);
    await reply.text();
    for (const [name, pattern] of Object.entries(wantedHeaders))
      if (!pattern.test(reply.headers.get(name) ?? '')) wrong.push(`${each.slice(0, 20)}: ${name}`);
    for (const name of unwantedHeaders) if (reply.headers.has(name)) wrong.push(`${each}: ${name}`);
    if (/\d/.test(reply.headers.get('server') ?? '')) wrong.push(`${each}: a version in Server`);
    const policy = reply.headers.get('content-security-policy') ?? '';
    if (!policy.includes("frame-ancestors 'none'")) wrong.push(`${each}: no policy`);
  }
  return [holds(`headers of ${paths.length} kinds of reply`, wrong.length === 0, wrong.join('; ') || 'yes')];
}

/** @type {import('../run').Fault[]} */
const securityFaults = [
  {
    id: 'S1',
    title: 'Listeners',
    done: 'the listening sockets of every process compared with an allow-list',
    run: listening,
  },
  {
    id: 'S2',
    title: 'Secrets in processes and logs',
    done: 'every command line while a load runs, and every log, searched for the passwords',
    run: secrets,
  },
  { id: 'S4', title: 'Accounts', done: 'the users of the processes', run: privileges },
  {
    id: 'S5',
    title: 'Headers',
    done: 'replies of every kind, those of nginx included',
    run: headers,
  },
];

module.exports = { securityFaults };
