'use strict';

const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * A certificate for 127.0.0.1.
 * @param {string} dir @param {number} [days] for which it is good
 * @returns {{ key: Buffer, cert: Buffer, keyFile: string, certFile: string } | null} null where there is no openssl
 */
function makeCertificate(dir, days = 2) {
  const [keyFile, certFile] = ['key.pem', 'cert.pem'].map((name) => join(dir, name));
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', keyFile, '-out', certFile, '-days', String(days), '-subj', '/CN=127.0.0.1'],
    ...['-addext', 'subjectAltName=IP:127.0.0.1'],
  ]);
  if (status !== 0) return null;
  return { key: readFileSync(keyFile), cert: readFileSync(certFile), keyFile, certFile };
}

module.exports = { makeCertificate };
