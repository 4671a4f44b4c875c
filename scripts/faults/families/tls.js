'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { makeCertificate } = require('../../lib/certificate');
const { environment } = require('../../lib/environment');
const { startNginx } = require('../../lib/nginx');
const { runTool } = require('../../lib/run');
const { exactly, holds, notMeasured } = require('../checks');
const { scanner } = require('../scanners/install');

/** @typedef {import('../rig').Rig} Rig */

/**
 * @param {string} dir @param {'ECDSA' | 'RSA'} [kind]
 * @returns {{ certificate: string, key: string }} files for nginx
 */
function certified(dir, kind) {
  const made = makeCertificate(dir, { kind });
  if (!made) throw new Error(noOpenssl() || 'openssl made no certificate');
  return { certificate: made.certFile, key: made.keyFile };
}

const noOpenssl = () =>
  spawnSync('openssl', ['version'], { env: environment('server') }).status === 0
    ? ''
    : 'needs openssl: apt-get install openssl';

/**
 * @param {Rig} rig @param {string} sslyze @param {'ECDSA' | 'RSA'} kind
 * @returns {Promise<import('../checks').Check[]>}
 */
async function scan(rig, sslyze, kind) {
  const dir = path.join(rig.dir, `tls-${kind}`);
  fs.mkdirSync(dir, { recursive: true });
  const tls = { ...certified(dir, kind), port: rig.port + 8 };
  const workers = rig.workerPorts.map((port) => `127.0.0.1:${port}`);
  const nginx = await startNginx({ dir, port: rig.port + 7, workers, tls });
  try {
    const target = ['--certinfo_ca_file', tls.certificate, `127.0.0.1:${tls.port}`];
    const { status, output } = await runTool([sslyze, '--mozilla_config', 'intermediate', ...target], {
      keepOutput: true,
    });
    const offered = new Set(output.match(/^ {8}TLS_\w+/gm)).size;
    const complaints = [...output.matchAll(/^ +\* (\w+: .*)$/gm)].map(([, text]) => text);
    return [
      exactly(`${kind}: status of the scanner`, status),
      holds(
        `${kind}: compliant with Mozilla's intermediate profile`,
        output.includes('OK - Compliant'),
        complaints.join('; ') || `${offered} cipher suites offered`,
      ),
    ];
  } finally {
    await nginx.stop();
  }
}

/** @param {Rig} rig */
async function scanned(rig) {
  const bar = "Mozilla's intermediate profile";
  /** @type {string} */
  let sslyze;
  try {
    sslyze = await scanner('sslyze');
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return [notMeasured('TLS', bar, `sslyze cannot be installed: ${message}`)];
  }
  const checks = [];
  for (const kind of /** @type {const} */ (['ECDSA', 'RSA'])) checks.push(...(await scan(rig, sslyze, kind)));
  return checks;
}

/** @type {import('../run').Fault[]} */
const tlsFaults = [
  {
    id: 'S7',
    title: 'TLS profile',
    done: 'sslyze scans nginx with an ECDSA and an RSA certificate, against Mozilla’s intermediate profile',
    run: scanned,
    cannot: noOpenssl,
  },
];

module.exports = { certified, noOpenssl, tlsFaults };
