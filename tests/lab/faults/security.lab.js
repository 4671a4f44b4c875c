'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const tls = require('node:tls');
const { makeCertificate } = require('../../../../scripts/lib/certificate');
const { environment } = require('../../../../scripts/lib/environment');
const { hasIpv6Loopback } = require('../../../../scripts/local/ports');
const { processTree } = require('../../../../scripts/lib/proc');
const { runTool } = require('../../../../scripts/lib/run');
const { root } = require('../../../../scripts/lib/runtime');
const { secretsOf } = require('../../../../scripts/local/state');
const { commandLines, listeners } = require('../../testbed/processes');
const { exactly, holds, prefixed } = require('../checks');
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

const needsOpenssl = () =>
  spawnSync('openssl', ['version'], { env: environment('server') }).status === 0
    ? ''
    : 'needs openssl: apt-get install openssl';

/** @param {string} dir @param {'ECDSA' | 'RSA'} [kind] @returns {{ certificate: string, key: string }} files for nginx */
function certified(dir, kind) {
  fs.mkdirSync(dir, { recursive: true });
  const made = makeCertificate(dir, { kind });
  if (!made) throw new Error(needsOpenssl() || 'openssl made no certificate');
  return { certificate: made.certFile, key: made.keyFile };
}

const upTo12 = (/** @type {string} */ ciphers) => ({ maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` });
/** What Mozilla's "intermediate" profile excludes, as options of a client. */
const outside = {
  'TLS 1.0': { ...upTo12('ALL'), minVersion: 'TLSv1', maxVersion: 'TLSv1' },
  'TLS 1.1': { ...upTo12('ALL'), minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' },
  'ciphers other than AES-GCM and ChaCha20': upTo12('ALL:!AESGCM:!CHACHA20'),
  'keys without forward secrecy': upTo12('kRSA'),
  'other curves': { ecdhCurve: 'secp521r1:X448' },
};

/** @param {number} port @param {object} options of the client @returns {Promise<string | null>} the protocol; '': refused */
const handshake = (port, options) =>
  new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
    socket.on('secureConnect', () => resolve(socket.getProtocol())).on('secureConnect', () => socket.destroy());
    socket.on('error', () => resolve(''));
  });

/** @param {Rig} rig @param {'ECDSA' | 'RSA'} kind */
async function profileOf(rig, kind) {
  const own = certified(path.join(rig.dir, `tls-${kind}`), kind);
  const { tlsPort, stop } = await rig.startNginx(`tls-${kind}`, { tls: own });
  const inside = await Promise.all(['TLSv1.2', 'TLSv1.3'].map((maxVersion) => handshake(tlsPort, { maxVersion })));
  const others = await Promise.all(Object.values(outside).map((each) => handshake(tlsPort, each))).finally(stop);
  const accepted = Object.keys(outside).filter((_, at) => others[at]);
  return prefixed(kind, [
    holds('takes TLS 1.2 and 1.3', `${inside}` === 'TLSv1.2,TLSv1.3', `${inside}`),
    holds("nothing outside of Mozilla's intermediate profile", accepted.length === 0, accepted.join(', ') || 'yes'),
  ]);
}

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

  async S3() {
    const words = 'log --all --patch --no-color --unified=0 -- . :!package-lock.json :!*.lock'.split(' ');
    const { status, output } = await runTool(['git', ...words], { keepOutput: true });
    const lines = output.split('\n').filter((line) => line.startsWith('+'));
    const found = lines.filter((line) => credentials.test(line));
    return [
      holds('git reads its history', status === 0 && lines.length > 1000, `${lines.length} lines`),
      holds('the patterns find a credential', credentials.test('AKIA' + 'ABCDEFGHIJKLMNOP')),
      exactly('lines that look like a credential', found.length),
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

  S7: async (rig) => [...(await profileOf(rig, 'ECDSA')), ...(await profileOf(rig, 'RSA'))],
};

const cannot = {
  S3: () => (fs.existsSync(path.join(root, '.git')) ? '' : 'needs a git clone'),
  S7: needsOpenssl,
};

module.exports = { cannot, certified, needsOpenssl, runs };
