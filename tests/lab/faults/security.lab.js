'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const tls = require('node:tls');

const { allPids, descriptorsOf, listening, processTree, readOrNothing } = require('../../../scripts/lib/proc');
const { runTool } = require('../../../scripts/lib/run');
const { root } = require('../../../scripts/lib/runtime');
const { hasIpv6Loopback } = require('../../../scripts/local/ports');
const { secretsOf } = require('../../../scripts/local/state');
const { unless } = require('../../helpers/skip');
const { needsOpenssl } = require('../../helpers/tls');
const { atLeast, judge, rig, wait } = require('./chain');

/** @param {number[]} pids @returns {string[]} `127.0.0.1:3030`: where these processes listen */
function listeners(pids) {
  const inodes = new Set(pids.flatMap(descriptorsOf).flatMap((name) => /^socket:\[(\d+)\]$/.exec(name)?.[1] ?? []));
  const found = listening().filter(({ inode }) => inodes.has(inode));
  return [...new Set(found.map(({ local }) => address(local)))];
}

/** @param {string} local as listening() has it */
function address(local) {
  const [host, port] = local.split(':');
  const bytes = (host.match(/../g) ?? []).map((byte) => parseInt(byte, 16)).reverse();
  return `${bytes.length === 4 ? bytes.join('.') : host}:${parseInt(port, 16)}`;
}

/** As the kernel writes ::1. */
const ipv6Loopback = '00000000000000000000000001000000';

test('S1 the processes of the chain listen on the expected addresses only, one of them public', async () => {
  const workers = [...rig.workerPorts, ...rig.adminPorts];
  const wanted = [`0.0.0.0:${rig.port}`, ...workers.map((port) => `127.0.0.1:${port}`)];
  if (await hasIpv6Loopback()) wanted.push(...[rig.port, ...workers].map((port) => `${ipv6Loopback}:${port}`));
  const chain = [rig.servers.postgres.pid, rig.servers.valkey.pid, rig.pm2Pid, rig.nginx.pid].flatMap(processTree);
  expect(listeners(chain).toSorted()).toEqual(wanted.toSorted());
});

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

test('S2 no password is in a command line or the output of a load, or in a log', async () => {
  const passwords = Object.values(secretsOf(rig.state, []));
  const showsOne = (/** @type {string} */ text) => passwords.some((one) => text.includes(one));
  // Its processes get a password too. Bodies carry its time, so no later test may compare them.
  const load = rig.servers.load();
  const shown = new Set();
  do
    for (const line of allPids().map((pid) => readOrNothing(`/proc/${pid}/cmdline`)))
      if (showsOne(line)) shown.add(line.slice(0, 60));
  while (!(await Promise.race([load.then(() => true), wait(0.3).then(() => false)])));
  const files = new Set([rig.state.dir, rig.state.pm2].flatMap(filesBelow)); // PM2's folder may be in the state folder
  const logs = [...files].filter((file) => /\.log$|rejects|dump/.test(file));
  judge({
    passwords: [passwords.length, atLeast(3)],
    logs: [logs.length, atLeast(4)],
    shown: [[...shown], []],
    logsWithOne: [filesWith(logs, passwords), []],
    outputHasOne: [showsOne((await load).output), false],
    openToOthers: [fs.statSync(rig.state.secrets).mode & 0o077, 0],
  });
});

/** Patterns of credentials; put together, so that this file does not match them. */
const credentials = new RegExp(
  [
    '-----BEGIN [A-Z ]*PRIVATE ' + 'KEY-----',
    '\\b(AKIA|ASIA)[0-9A-Z]{16}\\b',
    '\\bgh[pousr]_[A-Za-z0-9]{36}\\b',
    '\\bxox[baprs]-[0-9A-Za-z-]{10,}',
    '\\b(postgres(ql)?|rediss?)://[^\\s:@/]+:[0-9a-f]{24,}@',
    '["\']?\\w*(password|secret|license_key)["\']?\\s*[:=]\\s*["\'][0-9a-f]{32,}["\']',
  ].join('|'),
  'i',
);

unless(!fs.existsSync(path.join(root, '.git')) && 'needs a git clone').test(
  'S3 no line that was ever added to the repository looks like a credential',
  async () => {
    expect(credentials.test('AKIA' + 'ABCDEFGHIJKLMNOP')).toBe(true);
    const words = 'log --all --patch --no-color --unified=0 -- . :!package-lock.json :!*.lock'.split(' ');
    const { status, output } = await runTool(['git', ...words], { keepOutput: true });
    const lines = output.split('\n').filter((line) => line.startsWith('+'));
    const found = lines.filter((line) => credentials.test(line)).length; // a credential is not printed
    judge({ status: [status, 0], lines: [lines.length, atLeast(1001)], found: [found, 0] });
  },
);

const wantedHeaders = {
  'x-content-type-options': /^nosniff$/,
  'cache-control': /^no-store$|^public, max-age=\d+, (stale-while-revalidate=\d+|must-revalidate)$/,
  'content-type': /^(application\/(problem\+)?json|text\/html)/,
  'access-control-allow-origin': /^\*$/,
  'content-security-policy': /frame-ancestors 'none'/,
  server: /^\D*$/, // no version
};
const tooLong = `/${'a'.repeat(8000)}`;
const documents = ['/products', '/products/1', '/', '/docs', '/openapi.json'];

test.each([...documents, '/products/x', '/nowhere', '/metrics', tooLong].map((path) => [path.slice(0, 20), path]))(
  'S5 a reply to %s has all headers of security, and none that shows software',
  async (_, path) => {
    const { headers } = await fetch(rig.url + path);
    for (const [name, wanted] of Object.entries(wantedHeaders))
      expect([name, headers.get(name)]).toMatchObject([name, expect.stringMatching(wanted)]);
    expect(['x-powered-by', 'via', 'x-aspnet-version'].filter((name) => headers.has(name))).toEqual([]);
  },
);

const upTo12 = (/** @type {string} */ ciphers) => ({ maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` });
/** Options of a client. What Mozilla's "intermediate" profile excludes is refused: ''. */
const handshakes = {
  'TLS 1.2': { options: { maxVersion: 'TLSv1.2' }, protocol: 'TLSv1.2' },
  'TLS 1.3': { options: { maxVersion: 'TLSv1.3' }, protocol: 'TLSv1.3' },
  'TLS 1.0': { options: { ...upTo12('ALL'), minVersion: 'TLSv1', maxVersion: 'TLSv1' }, protocol: '' },
  'TLS 1.1': { options: { ...upTo12('ALL'), minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }, protocol: '' },
  'ciphers other than AES-GCM and ChaCha20': { options: upTo12('ALL:!AESGCM:!CHACHA20'), protocol: '' },
  'keys without forward secrecy': { options: upTo12('kRSA'), protocol: '' },
  'other curves': { options: { ecdhCurve: 'secp521r1:X448' }, protocol: '' },
};

/** @param {number} port @param {object} options of the client @returns {Promise<string | null>} the protocol; '': refused */
const handshake = (port, options) =>
  new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
    socket.on('secureConnect', () => resolve(socket.getProtocol())).on('secureConnect', () => socket.destroy());
    socket.on('error', () => resolve(''));
  });

describe.each(/** @type {const} */ (['ECDSA', 'RSA']))('with an %s certificate', (kind) =>
  unless(needsOpenssl()).test("S7 nginx accepts TLS of Mozilla's intermediate profile only", async () => {
    const { tlsPort, stop } = await rig.startNginx(`tls-${kind}`, { tls: kind });
    const accepted = Object.values(handshakes).map(({ options }) => handshake(tlsPort, options));
    const protocols = await Promise.all(accepted).finally(stop);
    judge(
      Object.fromEntries(
        Object.entries(handshakes).map(([name, { protocol }], at) => [name, [protocols[at], protocol]]),
      ),
    );
  }),
);
