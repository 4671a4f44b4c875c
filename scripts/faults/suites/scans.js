'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { makeCertificate } = require('../../lib/certificate');
const { environment } = require('../../lib/environment');
const { runTool } = require('../../lib/run');
const { findNpm, python, root, runtimeDir } = require('../../lib/runtime');
const { exactly, holds, notMeasured, prefixed } = require('../checks');

const venv = path.join(runtimeDir, 'scanners');
const program = (/** @type {string} */ name) => path.join(venv, 'bin', name);
const lock = (/** @type {string} */ name) => path.join(__dirname, `../scanners/${name}.lock`);

/**
 * Installs the scanners at first use: 100 MB that only two faults need. Later pip finds them and downloads nothing.
 * @param {'pip-audit' | 'sslyze'} name
 * @returns {Promise<string>} the program
 * @throws {Error} when it cannot be installed here
 */
async function scanner(name) {
  const pip = [program('python'), ...['-m', 'pip', 'install', '--quiet', '--no-input', '--require-hashes']];
  const commands = [
    [python, '-m', 'venv', venv],
    // sslyze is released as source only, so what builds it is locked too and comes first.
    [...pip, '--only-binary=:all:', '-r', lock('build')],
    [...pip, '--only-binary=:all:', '--no-binary=sslyze', '--no-build-isolation', '-r', lock('requirements')],
  ];
  for (const command of commands) {
    const { status, output } = await runTool(command, { env: environment('installer'), keepOutput: true });
    if (status !== 0) throw new Error(`${name} cannot be installed: ${output.trim().split('\n').at(-1)}`);
  }
  return program(name);
}

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

/**
 * Judges the JSON of an audit. Without an answer of the index it is not measured.
 * @param {string} command to run where the index answers
 * @param {() => Promise<string[]>} find its program
 * @param {(report: any) => import('../checks').Check} judge throws when this is not a report
 */
async function audit(command, find, judge) {
  const [name, ...words] = command.split(' ');
  try {
    const { output } = await runTool([...(await find()), ...words], {
      env: environment('installer'),
      keepOutput: true,
    });
    return judge(JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)));
  } catch (error) {
    const [line] = /** @type {Error} */ (error).message.split('\n');
    return notMeasured(`audit by ${name}`, 'none at high', `${line}; where the index answers, run ${command}`);
  }
}

/** @param {any} report of npm audit */
function judgeNpm({ metadata, message }) {
  if (!metadata) throw new Error(message ?? 'no report');
  const { high, critical } = metadata.vulnerabilities;
  return exactly(`npm audit: vulnerable packages (high) of ${metadata.dependencies.total}`, high + critical);
}

/** A package that it could not look up is "skipped", and it ends with status 0. @param {any} report of pip-audit */
function judgePip({ dependencies }) {
  const skipped = dependencies.filter((/** @type {any} */ one) => one.skip_reason);
  if (skipped.length > 0)
    throw new Error(`${skipped.length} of ${dependencies.length} not looked up: ${skipped[0].skip_reason}`);
  const vulnerable = dependencies.filter((/** @type {any} */ one) => one.vulns.length > 0);
  return exactly(`pip-audit: vulnerable packages of ${dependencies.length}`, vulnerable.length);
}

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

/** @param {import('../../testbed/rig').Rig} rig @param {string} sslyze @param {'ECDSA' | 'RSA'} kind */
async function scanTls(rig, sslyze, kind) {
  const tls = certified(path.join(rig.dir, `tls-${kind}`), kind);
  const nginx = await rig.startNginx(`tls-${kind}`, { tls });
  const words = ['--mozilla_config', 'intermediate', '--certinfo_ca_file', tls.certificate];
  const command = [sslyze, ...words, `127.0.0.1:${nginx.tlsPort}`];
  const { status, output } = await runTool(command, { keepOutput: true }).finally(nginx.stop);
  const offered = new Set(output.match(/^ {8}TLS_\w+/gm)).size;
  const complaints = [...output.matchAll(/^ +\* (\w+: .*)$/gm)].map(([, text]) => text).join('; ');
  return prefixed(kind, [
    exactly('status of the scanner', status),
    holds(
      "compliant with Mozilla's intermediate profile",
      output.includes('OK - Compliant'),
      complaints || `${offered} cipher suites offered`,
    ),
  ]);
}

/** @type {import('../run').Runs} */
const runs = {
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

  S6: async () => [
    await audit('npm audit --json --audit-level=high', async () => [process.execPath, findNpm()], judgeNpm),
    await audit(
      'pip-audit --format json --require-hashes --disable-pip -r etl/requirements.lock -r scripts/requirements.lock',
      async () => [await scanner('pip-audit')],
      judgePip,
    ),
  ],

  async S7(rig) {
    try {
      const sslyze = await scanner('sslyze');
      return [...(await scanTls(rig, sslyze, 'ECDSA')), ...(await scanTls(rig, sslyze, 'RSA'))];
    } catch (error) {
      return [notMeasured('TLS', "Mozilla's intermediate profile", /** @type {Error} */ (error).message)];
    }
  },
};

const cannot = {
  S3: () => (fs.existsSync(path.join(root, '.git')) ? '' : 'needs a git clone'),
  S7: needsOpenssl,
};

module.exports = { cannot, certified, judgeNpm, judgePip, needsOpenssl, runs };
