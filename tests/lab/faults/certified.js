'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');

const { makeCertificate } = require('../../../scripts/lib/certificate');
const { environment } = require('../../../scripts/lib/environment');

/** @returns {string | false} why there is no certificate; false: there is openssl */
const needsOpenssl = () =>
  spawnSync('openssl', ['version'], { env: environment('server') }).status !== 0 &&
  'needs openssl: apt-get install openssl';

/** @param {string} dir @param {'ECDSA' | 'RSA'} [kind] @returns {{ certificate: string, key: string }} files for nginx */
function certified(dir, kind) {
  fs.mkdirSync(dir, { recursive: true });
  const made = makeCertificate(dir, { kind });
  if (!made) throw new Error('openssl made no certificate');
  return { certificate: made.certFile, key: made.keyFile };
}

module.exports = { certified, needsOpenssl };
