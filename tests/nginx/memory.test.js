'use strict';
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { startNginx } = require('../../scripts/local/nginx');
const { processTree, readOrNothing } = require('../../scripts/lib/proc');
const { freePort } = require('../helpers/servers');

const asked = 50;
/** musl keeps a group of blocks once it was unmapped and mapped a hundred times. */
const warmUp = 250;
/** A cached list as long as those of a worker: its headers and those of the request take nginx's memory. */
const headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'public, max-age=60, must-revalidate',
  'Access-Control-Expose-Headers': 'Allow, Catalog-Version, ETag, Link, Retry-After, X-Request-Id, X-Total-Count',
  'Timing-Allow-Origin': '*',
  Link: '<?after=4445&count=5>; rel="next", <?page=1&count=5>; rel="first", <?page=888&count=5>; rel="prev", <?page=200003&count=5>; rel="last"',
  'X-Total-Count': '1000011',
  'Catalog-Version': '12-1795632771975392',
  ETag: '"0123456789abcdef0123456789abcdef"',
};

test('a cached reply maps no memory, however many connections are open', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'memory-'));
  fs.chmodSync(dir, 0o711);
  const worker = http.createServer((_, response) => response.writeHead(200, headers).end('[]'.padEnd(2000)));
  const from = await freePort(2);
  await new Promise((resolve) => void worker.listen(from, '127.0.0.1', () => resolve(null)));
  const nginx = await startNginx({ dir, port: from + 1, workers: [`127.0.0.1:${from}`] });
  const agents = Array.from({ length: 40 }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  /** @param {http.Agent} agent */
  const ask = (agent) =>
    new Promise((resolve, reject) => {
      const target = { host: '127.0.0.1', port: from + 1, path: '/products?page=889&count=5', agent };
      http.get(target, (reply) => reply.resume().on('end', resolve)).on('error', reject);
    });
  // minflt of proc(5): one for each newly mapped page.
  const faults = () =>
    processTree(nginx.pid).reduce(
      (sum, pid) => sum + Number(readOrNothing(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[7]),
      0,
    );
  /** @type {number[]} by how many connections are open */
  const perReply = [];
  try {
    for (const agent of agents) {
      for (let n = 0; n < warmUp; n += 1) await ask(agent);
      const before = faults();
      for (let n = 0; n < asked; n += 1) await ask(agent);
      perReply.push((faults() - before) / asked);
    }
    expect(Math.max(...perReply)).toBeLessThan(0.5);
  } finally {
    agents.forEach((agent) => agent.destroy());
    worker.closeAllConnections();
    worker.close();
    await nginx.stop();
    fs.rmSync(dir, { recursive: true });
  }
}, 60_000);
