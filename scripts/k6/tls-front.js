'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { makeCertificate } = require('../lib/certificate');
const { startNginx } = require('../local/nginx');
const { freePort } = require('../local/ports');

/** @typedef {{ env: Record<string, string>, stop: () => Promise<void> }} Https how k6 reaches the service over TLS */

/**
 * HTTP/2 needs TLS, and a stack serves TLS only if it was given a certificate. So a second nginx in front of the stack's workers
 * gets the project's TLS settings and a certificate of its own.
 * @param {import('./options').Target} target
 * @returns {Promise<Https | undefined>} undefined if TLS cannot be had
 */
async function openHttps({ url, workers }) {
  if (url.startsWith('https:')) return { env: {}, stop: async () => {} };
  if (workers.length === 0) return undefined;
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-tls-'));
  const remove = () => fs.rmSync(dir, { recursive: true, force: true });
  try {
    const made = makeCertificate(dir);
    if (!made) throw new Error('HTTP/2 needs a certificate: install openssl, or name an https --url');
    const [port, tlsPort] = [await freePort(), await freePort()];
    const tls = { certificate: made.certFile, key: made.keyFile, port: tlsPort };
    const nginx = await startNginx({ dir, port, workers, tls });
    const env = { BASE_URL: `https://127.0.0.1:${tlsPort}`, K6_INSECURE_SKIP_TLS_VERIFY: 'true' };
    return { env, stop: () => nginx.stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

module.exports = { openHttps };
