'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const path = require('node:path');
const readline = require('node:readline');

const generator = path.join(__dirname, '../../scripts/cluster/generator.js');

test("the generator of the cluster's load counts every refusal, of which it shows but the first", async () => {
  const statuses = [200, 503, 502];
  let asked = 0;
  const server = http.createServer((request, response) => {
    const isFirst = request.url === '/products?count=20000';
    response.statusCode = isFirst ? 200 : statuses[asked++ % statuses.length];
    response.end('[{"id":1}]');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const child = spawn(process.execPath, [generator, `http://127.0.0.1:${port}`, '500']);
  try {
    let last = { sent: 0, failed: 0, refused: 0, failures: [''] };
    for await (const line of readline.createInterface({ input: child.stdout })) {
      last = JSON.parse(line);
      if (last.sent >= 150 && !child.killed) child.kill('SIGTERM');
    }
    const of = (/** @type {number} */ place) => Math.ceil((asked - place) / statuses.length);
    expect(last).toMatchObject({ sent: asked, failed: of(1) + of(2), refused: of(1) });
    expect(last.failures).toHaveLength(20);
  } finally {
    child.kill('SIGKILL');
    server.close();
  }
});
