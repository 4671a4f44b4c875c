'use strict';
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const { runTool } = require('../../../scripts/lib/run');
const { root } = require('../../../scripts/lib/runtime');
const { useLoads } = require('../../helpers/loads');

const { a, command, describeStack, dir, explainsKilled, start, state } = useLoads();
beforeAll(() => start(a), 60_000);

test("rejected rows go to the typed folder, or to the stack's by default", () => {
  expect(command('load.js', '--state', 'state', 'a', '--', '--dry-run', '--rejects', 'typed').status).toBe(0);
  expect(fs.readdirSync(dir)).toContain('typed');
  fs.rmSync(state.rejects, { recursive: true, force: true });
  expect(command('etl.js', '--state', 'state', 'load', 'a', '--dry-run').status).toBe(0);
  expect(fs.existsSync(state.rejects)).toBe(true);
}, 60_000);

test('npm run etl passes its arguments to the loader, also without a stack', () => {
  expect(command('etl.js', '--state', path.join(dir, 'none'), 'verify', '--help').stdout).toContain('--served');
});

test('npm run load explains that a signal killed the loader, with the command to repeat', () =>
  explainsKilled('load.js'));

test.each([
  ['up', 0, 'ok  '],
  ['down', 1, 'NOT OK (cache down)  '],
])(
  'npm run status shows the parts of a worker: with Redis %s it ends with status %i',
  async (cache, wanted, verdict) => {
    const parts = JSON.stringify({ ready: true, database: 'up', cache, version: '7' });
    const server = http.createServer((_req, res) => void res.end(parts)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    describeStack({ url: `http://127.0.0.1:${port}`, workerPorts: [3030], adminPorts: [port] });
    const words = [process.execPath, path.join(root, 'scripts/status.js'), '--state', state.dir];
    const { status, output } = await runTool(words, { keepOutput: true });
    server.close();
    const line = `worker 3030   ${verdict}http://127.0.0.1:${port}/readyz  database up, cache ${cache}, version 7\n`;
    expect([status, output]).toEqual([wanted, expect.stringContaining(line)]);
  },
);
