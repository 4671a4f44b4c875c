'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { startNginx } = require('../../lib/nginx');
const { runTool } = require('../../lib/run');
const { exactly, holds, notMeasured } = require('../checks');
const { scanner } = require('../scanners/install');

/** @typedef {import('../rig').Rig} Rig */

/** What a certificate can be made of; the ciphers that nginx offers depend on it. */
const keys = {
  ECDSA: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  RSA: ['-newkey', 'rsa:2048'],
};

/**
 * As a public one would be: no authority itself, for servers, for one address.
 * @param {string} dir @param {string[]} [key]
 */
function makeCertificate(dir, key = keys.ECDSA) {
  const [certificate, keyFile] = [path.join(dir, 'cert.pem'), path.join(dir, 'key.pem')];
  const extensions = [
    'subjectAltName=IP:127.0.0.1',
    'basicConstraints=critical,CA:FALSE',
    'extendedKeyUsage=serverAuth',
  ];
  const words = ['req', '-x509', ...key, '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'];
  const named = extensions.flatMap((extension) => ['-addext', extension]);
  execFileSync('openssl', [...words, ...named, '-keyout', keyFile, '-out', certificate], {
    stdio: 'pipe',
  });
  return { certificate, key: keyFile };
}

/**
 * @param {Rig} rig @param {string} sslyze @param {[kind: string, key: string[]]} certificate
 * @returns {Promise<import('../checks').Check[]>}
 */
async function scan(rig, sslyze, [kind, key]) {
  const dir = path.join(rig.dir, `tls-${kind}`);
  fs.mkdirSync(dir, { recursive: true });
  const tls = { ...makeCertificate(dir, key), port: rig.port + 8 };
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
  for (const certificate of Object.entries(keys)) checks.push(...(await scan(rig, sslyze, certificate)));
  return checks;
}

/** @type {import('../run').Fault[]} */
const tlsFaults = [
  {
    id: 'S7',
    title: 'TLS profile',
    done: 'sslyze scans nginx with an ECDSA and an RSA certificate, against Mozilla’s intermediate profile',
    run: scanned,
  },
];

module.exports = { makeCertificate, tlsFaults };
