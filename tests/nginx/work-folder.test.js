'use strict';
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { memoryFolder, startNginx } = require('../../scripts/local/nginx');
const { until } = require('../helpers/app');
const { freePort } = require('../helpers/servers');

const bodyBytes = 8 * 2 ** 20;

test('a slow reader gets all of a long list from a folder closed to other accounts', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'closed-')); // mode 0700, as /root
  const work = path.join(dir, 'state/nginx');
  let isSent = false;
  const worker = http.createServer((_, reply) => reply.end(Buffer.alloc(bodyBytes, 'x'), () => (isSent = true)));
  const port = await freePort(2);
  worker.listen(port + 1, '127.0.0.1');
  const nginx = await startNginx({ dir: path.dirname(work), port, workers: [`127.0.0.1:${port + 1}`] });
  try {
    const text = fs.readFileSync(path.join(work, 'nginx.conf'), 'utf8');
    const own = [dir, memoryFolder(path.dirname(work)) ?? dir];
    const folders = [...text.matchAll(/^\s*(?:pid|\w+_temp_path|proxy_cache_path) "([^"]+)"/gm)].map(
      ([, name]) => name,
    );
    expect(folders.length).toBeGreaterThanOrEqual(7);
    const elsewhere = folders
      .map((name) => path.resolve(work, name))
      .filter((name) => !own.some((place) => name.startsWith(place)));
    expect(elsewhere).toEqual([]);
    const socket = net.connect(port, '127.0.0.1');
    socket.write('GET /products?count=5000 HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n');
    await once(socket, 'readable');
    await until(() => isSent); // the rest is in a temporary file
    let bytes = 0;
    for await (const chunk of socket) bytes += chunk.length;
    expect(bytes).toBeGreaterThan(bodyBytes);
    expect(fs.readFileSync(path.join(dir, 'state/logs/nginx-error.log'), 'utf8')).not.toMatch(/\[(crit|error|alert)\]/);
  } finally {
    await nginx.stop();
    worker.close();
    fs.rmSync(dir, { recursive: true });
  }
});
