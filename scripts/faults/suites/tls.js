'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { makeCertificate } = require('../../lib/certificate');
const { environment } = require('../../lib/environment');
const { runTool } = require('../../lib/run');
const { exactly, holds, notMeasured, prefixed } = require('../checks');
const { scanner } = require('../scanners/scanner');

/** @param {string} dir @param {'ECDSA' | 'RSA'} [kind] @returns {{ certificate: string, key: string }} files for nginx */
function certified(dir, kind) {
  const made = makeCertificate(dir, { kind });
  if (!made) throw new Error(needsOpenssl() || 'openssl made no certificate');
  return { certificate: made.certFile, key: made.keyFile };
}

const needsOpenssl = () =>
  spawnSync('openssl', ['version'], { env: environment('server') }).status === 0
    ? ''
    : 'needs openssl: apt-get install openssl';

/** @param {import('../../testbed/rig').Rig} rig @param {string} sslyze @param {'ECDSA' | 'RSA'} kind */
async function scan(rig, sslyze, kind) {
  const dir = path.join(rig.dir, `tls-${kind}`);
  fs.mkdirSync(dir, { recursive: true });
  const tls = certified(dir, kind);
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
  async S7(rig) {
    try {
      const sslyze = await scanner('sslyze');
      return [...(await scan(rig, sslyze, 'ECDSA')), ...(await scan(rig, sslyze, 'RSA'))];
    } catch (error) {
      return [notMeasured('TLS', "Mozilla's intermediate profile", /** @type {Error} */ (error).message)];
    }
  },
};

module.exports = { cannot: { S7: needsOpenssl }, certified, needsOpenssl, runs };
