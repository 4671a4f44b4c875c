'use strict';

const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { environment } = require('../../scripts/lib/environment');

/** The ciphers that nginx offers depend on the kind of key. */
const keyKinds = { ECDSA: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'], RSA: ['-newkey', 'rsa:2048'] };

/** As a public one would be: no authority itself, for servers. */
const extensions = ['subjectAltName=IP:127.0.0.1', 'basicConstraints=critical,CA:FALSE', 'extendedKeyUsage=serverAuth'];

/**
 * A certificate for 127.0.0.1.
 * @param {string} dir @param {{ days?: number, kind?: keyof typeof keyKinds }} [options] `days` for which it is good
 * @returns {{ key: Buffer, cert: Buffer, keyFile: string, certFile: string } | null} null where there is no openssl
 */
function makeCertificate(dir, { days = 2, kind = 'ECDSA' } = {}) {
  const [keyFile, certFile] = ['key.pem', 'cert.pem'].map((name) => join(dir, name));
  const named = ['-subj', '/CN=127.0.0.1', ...extensions.flatMap((extension) => ['-addext', extension])];
  const out = ['-days', String(days), '-keyout', keyFile, '-out', certFile];
  const words = ['req', '-x509', ...keyKinds[kind], '-nodes', ...named, ...out];
  const { status } = spawnSync('openssl', words, { env: environment('server') });
  if (status !== 0) return null;
  return { key: readFileSync(keyFile), cert: readFileSync(certFile), keyFile, certFile };
}

module.exports = { makeCertificate };
