'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const tls = require('node:tls');

/** The first message of libpq with sslmode: a length of 8, and the code of SSLRequest. */
const requestBytes = 8;

/** An authority of its own. @param {string} dir */
function createAuthority(dir) {
  const at = (/** @type {string} */ name) => path.join(dir, name);
  const openssl = (/** @type {string[]} */ ...words) => execFileSync('openssl', words, { stdio: 'ignore' });
  const newKey = (/** @type {string} */ file) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', at(file)];
  openssl('req', '-x509', ...newKey('authority.key'), '-out', at('authority.pem'), '-subj', '/CN=test authority');
  return {
    file: at('authority.pem'),
    /** A certificate. @param {string} names such as DNS:localhost,IP:127.0.0.1 */
    issue(names) {
      openssl('req', ...newKey('server.key'), '-out', at('server.csr'), '-subj', '/CN=server');
      fs.writeFileSync(at('names'), `subjectAltName=${names}`);
      const by = ['-CA', at('authority.pem'), '-CAkey', at('authority.key'), '-CAcreateserial'];
      openssl('x509', '-req', '-in', at('server.csr'), ...by, '-out', at('server.pem'), '-extfile', at('names'));
      return { cert: fs.readFileSync(at('server.pem')), key: fs.readFileSync(at('server.key')) };
    },
  };
}

/**
 * Ends TLS in front of a server on a Unix socket: the embedded ones are built without it.
 * @param {string} socket @param {tls.TLSSocketOptions} server @param {{ asked: boolean }} protocol asked: a client first asks for TLS, as PostgreSQL's do
 */
async function endTls(socket, server, { asked }) {
  /** @type {Set<import('node:stream').Duplex>} */
  const open = new Set();
  const listener = net.createServer(async (plain) => {
    plain.on('error', () => {});
    if (asked) {
      await once(plain, 'readable');
      plain.read(requestBytes);
      plain.write('S');
    }
    const secure = new tls.TLSSocket(plain, { isServer: true, ...server });
    const behind = net.connect(socket);
    for (const [one, other] of [
      [secure, behind],
      [behind, secure],
    ]) {
      // prettier-ignore
      open.add(one);
      one.on('error', () => other.destroy()).on('close', () => (open.delete(one), other.destroy())).pipe(other); // prettier-ignore
    }
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return {
    port: /** @type {net.AddressInfo} */ (listener.address()).port,
    close() {
      listener.close();
      for (const each of open) each.destroy();
    },
  };
}

/** @returns {string | false} why there are no certificates here */
const needsOpenssl = () => spawnSync('openssl', ['version']).status !== 0 && 'needs openssl: apt-get install openssl';

module.exports = { createAuthority, endTls, needsOpenssl };
