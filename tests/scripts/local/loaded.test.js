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

test("npm run etl -- export writes into a folder of the caller's", () => {
  expect(command('etl.js', '--state', 'state', 'export', 'out')).toMatchObject({ status: 0, stdout: '' });
  expect(fs.readdirSync(path.join(dir, 'out'))).toHaveLength(7);
  const { status, stderr } = command('etl.js', '--state', 'state', 'export', 'a');
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^refused: .* is no export and has files/)]);
}, 60_000);

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

describe('npm run status -- --missed', () => {
  const command = [process.execPath, path.join(root, 'scripts/status.js'), '--state', state.dir, '--missed'];
  /** @param {(object | null)[]} lists of the workers; null: it has none @returns {Promise<{ status: number, output: string }>} */
  async function statusOf(lists) {
    const servers = lists.map((list) =>
      http
        .createServer(({ url }, res) => {
          if (list && url === '/missed') res.end(JSON.stringify({ least_minutes: 5, words: list }));
          else res.writeHead(404).end('try /livez\n');
        })
        .listen(0, '127.0.0.1'),
    );
    await Promise.all(servers.map((server) => once(server, 'listening')));
    const ports = servers.map((server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port);
    describeStack({ workerPorts: ports.map((_, index) => 3030 + index), adminPorts: ports });
    const { status, output } = await runTool(command, { keepOutput: true });
    for (const server of servers) server.close();
    return { status: Number(status), output };
  }

  test('adds up the lists of all workers, most searches first', async () => {
    const word = (/** @type {string} */ text, /** @type {number} */ searches, /** @type {number} */ empty) => ({
      word: text,
      minutes: 5,
      searches,
      empty,
    });
    const lists = [
      [word('lamp', 9, 0), word('zorgon', 7, 7)],
      [word('zorgon', 5, 4), word('قبعة', 6, 6)],
    ];
    expect(await statusOf(lists)).toEqual({
      status: 0,
      output: [
        'searches  found nothing  word',
        '      12             11  zorgon',
        '       9              0  lamp',
        '       6              6  قبعة\n',
      ].join('\n'),
    });
  });

  test('reports that there is none', async () => {
    const output = 'no worker has dropped a word in 5 different minutes since its start\n';
    expect(await statusOf([[], []])).toEqual({ status: 0, output });
  });

  test('ends with status 1 when a worker does not answer', async () => {
    const { status, output } = await statusOf([null, []]);
    expect([status, output]).toEqual([1, expect.stringContaining('worker 3030 has no list (404): npm run status\n')]);
  });
});
