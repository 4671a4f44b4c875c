'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { makeCertificate } = require('../lib/certificate');
const { startNginx } = require('../lib/nginx');
const { freePort } = require('../lib/ports');

/** @typedef {{ env: Record<string, string>, stop: () => Promise<void> }} Https how k6 gets there */

/**
 * A second nginx before the workers of the stack on this machine, with the project's own TLS settings and a certificate
 * of its own: browsers speak HTTP/2 only over TLS, which a stack serves only when it was given a certificate.
 * @param {string[]} workers host:port
 * @returns {Promise<Https>}
 */
async function startTlsFront(workers) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-tls-'));
  const remove = () => fs.rmSync(dir, { recursive: true, force: true });
  try {
    const made = makeCertificate(dir);
    if (!made) throw new Error('HTTP/2 needs a certificate: install openssl, or name an https --url');
    const [port, tlsPort] = [await freePort(), await freePort()];
    const tls = { certificate: made.certFile, key: made.keyFile, port: tlsPort };
    const nginx = await startNginx({ dir, port, workers, tls });
    const stop = () => nginx.stop().finally(remove);
    const url = `https://127.0.0.1:${tlsPort}`;
    return { env: { BASE_URL: url, K6_INSECURE_SKIP_TLS_VERIFY: 'true' }, stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * @param {import('./target').Target} target
 * @returns {Promise<Https | undefined>} the service over TLS; undefined where there is no way to it
 */
async function openHttps({ url, workers }) {
  if (url.startsWith('https:')) return { env: {}, stop: async () => {} };
  return workers.length > 0 ? startTlsFront(workers) : undefined;
}

module.exports = { openHttps };
