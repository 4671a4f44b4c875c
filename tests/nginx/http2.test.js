'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const tls = require('node:tls');
const { makeCertificate } = require('../helpers/certificate');
const floors = require('../../scripts/lib/floors.json');
const { nginxPrograms } = require('../../scripts/lib/runtime');
const { startNginx } = require('../../scripts/local/nginx');
const { freePort } = require('../helpers/servers');
const { unless } = require('../helpers/skip');
const { shellWord } = require('../../scripts/lib/words');
const { writeStub } = require('../helpers/stub');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'http2-'));
const made = makeCertificate(dir);
afterEach(() => delete process.env.NGINX_BIN);
afterAll(() => fs.rmSync(dir, { recursive: true }));

/** @param {string} version that it reports @returns {string} the nginx of this machine */
function nginxOf(version) {
  const program = nginxPrograms().at(-1); // the embedded one
  return writeStub(
    dir,
    `nginx-${version}`,
    `[ "$1" = -v ] && exec echo "nginx/${version}"; exec ${shellWord(String(program))} "$@"`,
  );
}

/** @param {number} port @returns {Promise<string | false | null>} the protocol that both speak */
const protocolAt = (port) =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] };
    const socket = tls.connect(options, () => resolve(socket.destroy().alpnProtocol)).on('error', reject);
  });

unless(!made && 'needs openssl').test(
  'nginx offers HTTP/2 from its floor on, and below it HTTP/1.1 over TLS',
  async () => {
    expect(await offered(floors.nginx.lines['1.31'])).toBe('h2');
    expect(await offered('1.31.3')).toBe('http/1.1');
  },
);

/** @param {string} version of nginx */
async function offered(version) {
  process.env.NGINX_BIN = nginxOf(version);
  const port = await freePort(2);
  const own = { certificate: String(made?.certFile), key: String(made?.keyFile), port: port + 1 };
  const nginx = await startNginx({ dir: path.join(dir, version), port, workers: ['127.0.0.1:1'], tls: own });
  return protocolAt(port + 1).finally(nginx.stop);
}
