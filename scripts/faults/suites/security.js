'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { hasIpv6Loopback } = require('../../local/ports');
const { processTree } = require('../../lib/proc');
const { secretsOf } = require('../../local/state');
const { commandLines, listeners, userOf } = require('../../testbed/processes');
const { exactly, holds, notMeasured } = require('../checks');
const { wait } = require('../scenario');

/** @import { Rig } from '../../testbed/rig' */

/** @param {Rig} rig every process of the chain */
const chain = (rig) =>
  [rig.servers.postgres.pid, rig.servers.valkey.pid, rig.pm2Pid, rig.nginx.pid].flatMap(processTree);

/** As the kernel writes ::1. */
const ipv6Loopback = '00000000000000000000000001000000';

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

const wantedHeaders = {
  'x-content-type-options': /^nosniff$/,
  'cache-control': /^no-store$|^public, max-age=\d+, (stale-while-revalidate=\d+|must-revalidate)$/,
  'content-type': /^(application\/(problem\+)?json|text\/html)/,
  'access-control-allow-origin': /^\*$/,
  'content-security-policy': /frame-ancestors 'none'/,
  server: /^\D*$/, // no version
};
const unwantedHeaders = ['x-powered-by', 'via', 'x-aspnet-version'];
const pathsOfEveryKind = [
  ...['/products', '/products/1', '/products/x', '/nowhere', '/metrics', '/', '/docs', '/openapi.json'],
  `/${'a'.repeat(8000)}`,
];

/** @type {import('../run').Runs} */
const runs = {
  async S1(rig) {
    const workers = [...rig.workerPorts, ...rig.adminPorts];
    const wanted = [`0.0.0.0:${rig.port}`, ...workers.map((port) => `127.0.0.1:${port}`)];
    if (await hasIpv6Loopback()) wanted.push(...[rig.port, ...workers].map((port) => `${ipv6Loopback}:${port}`));
    const found = listeners(chain(rig));
    const differing = [
      ...found.filter((one) => !wanted.includes(one)).map((one) => `+${one}`),
      ...wanted.filter((one) => !found.includes(one)).map((one) => `-${one}`),
    ].join(' ');
    return [holds(`listens on exactly ${wanted.length} addresses, one of them public`, !differing, differing || 'yes')];
  },

  async S2(rig) {
    const passwords = Object.values(secretsOf(rig.state, []));
    const showsOne = (/** @type {string} */ text) => passwords.some((one) => text.includes(one));
    const load = rig.servers.load(); // meanwhile: its processes get a password too
    const shown = new Set();
    let looks = 0;
    for (let running = true; running; looks += 1) {
      for (const line of commandLines()) if (showsOne(line)) shown.add(line.slice(0, 60));
      running = !(await Promise.race([load.then(() => true), wait(rig, 0.3).then(() => false)]));
    }
    await rig.refreshDigests();
    const files = new Set([rig.state.dir, rig.state.pm2].flatMap(filesBelow)); // PM2's folder may be in the state folder
    const logs = [...files].filter((file) => /\.log$|rejects|dump/.test(file));
    return [
      holds('passwords exist, logs exist, processes were seen', passwords.length >= 3 && logs.length >= 4 && looks > 0),
      exactly('command lines that show a password', shown.size),
      exactly(`of ${logs.length} log files that show a password`, filesWith(logs, passwords).length),
      holds('the output of a load shows none', !showsOne((await load).output)),
      holds('only its owner reads the file of passwords', (fs.statSync(rig.state.secrets).mode & 0o077) === 0),
    ];
  },

  async S4(rig) {
    const roots = (/** @type {number[]} */ pids) => pids.filter((pid) => userOf(pid) === 0).length;
    const nginxWorkers = processTree(rig.nginx.pid).slice(1);
    const what = 'processes of the chain that run as root';
    const asRoot = 'started by root; `npm run fleet:test` counts those of a node';
    return [
      exactly('nginx workers that run as root', roots(nginxWorkers)),
      holds('nginx has workers', nginxWorkers.length > 0),
      process.getuid?.() === 0 ? notMeasured(what, '0', asRoot) : exactly(what, roots(chain(rig))),
    ];
  },

  async S5(rig) {
    const wrong = [];
    for (const each of pathsOfEveryKind) {
      const reply = await fetch(rig.url + each);
      await reply.text();
      const name = each.slice(0, 20);
      for (const [header, pattern] of Object.entries(wantedHeaders))
        if (!pattern.test(reply.headers.get(header) ?? '')) wrong.push(`${name}: ${header}`);
      for (const header of unwantedHeaders) if (reply.headers.has(header)) wrong.push(`${name}: ${header}`);
    }
    const what = `headers of ${pathsOfEveryKind.length} kinds of reply`;
    return [holds(what, wrong.length === 0, wrong.join('; ') || 'yes')];
  },
};

module.exports = { runs };
