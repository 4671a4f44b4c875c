'use strict';
const { once } = require('node:events');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { parseStartOptions } = require('../../../scripts/local/start-options');
const { postgresSettings } = require('../../../scripts/local/postgres-settings');
const { portOptions } = require('../../../scripts/local/ports');
const { listens } = require('../../../scripts/lib/probe');
const { root } = require('../../../scripts/lib/runtime');
const { describeState } = require('../../../scripts/local/state');
const { unless } = require('../../helpers/skip');

const gb = 1024 ** 3;
process.env.INIT_CWD = '/srv/me'; // the current folder

describe('npm start', () => {
  test('uses the default ports and folder without options', () => {
    const state = path.join(root, '.state');
    expect(parseStartOptions(['--workers', '2'])).toMatchObject({ ports: {}, workers: 2, state });
    const firsts = Object.entries(portOptions).map(([name, { first }]) => `${name} ${first}`);
    expect(firsts).toEqual(['port 8080', 'tls-port 8443', 'worker-port 3030', 'admin-port 9030', 'write-port 7030']);
  });

  test('resolves every path from the current folder', () => {
    const words = '--data csv --state s --certificate a.pem --key /k.pem'.split(' ');
    const tls = { certificate: '/srv/me/a.pem', key: '/k.pem' };
    expect(parseStartOptions(words)).toMatchObject({ data: '/srv/me/csv', state: '/srv/me/s', tls });
  });
});

test('sockets have a short path however deep the state folder is', () => {
  const { run } = describeState(`/srv/${'deep/'.repeat(40)}state`);
  expect(Buffer.byteLength(path.join(run, 'pm2/interactor.sock'))).toBeLessThan(108);
});

test.each(["a shop's", 'one, two', 'the "new" one'])('every server finds the sockets of a state in %s', (name) => {
  const { dir, run } = describeState(`/srv/${name}/state`);
  expect(dir).toBe(`/srv/${name}/state`);
  expect(run).not.toMatch(/[,'"]/);
});

describe('the embedded PostgreSQL', () => {
  test('takes an eighth of the memory for its buffers, within bounds', () => {
    const buffers = [0.25, 8, 256].map((size) => postgresSettings({ memory: size * gb }).shared_buffers);
    expect(buffers).toEqual(['64MB', '1024MB', '2048MB']);
  });

  test('never trades durability for speed', () => {
    const settings = postgresSettings();
    for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) expect(settings[name]).toBeUndefined();
  });

  test('does not use a small /dev/shm', () => {
    expect(postgresSettings({ shm: 64 * 1024 ** 2 }).dynamic_shared_memory_type).toBe('mmap');
    expect(postgresSettings({ shm: 4 * gb }).dynamic_shared_memory_type).toBe('posix');
  });

  test('has a connection for each of many workers', () => {
    const connections = [2, 20, 64].map((workers) => postgresSettings({ workers }).max_connections);
    expect(connections).toEqual(['100', '140', '448']);
  });
});

const hasIpv6 = Object.values(os.networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
unless(!hasIpv6 && 'needs IPv6').test('a running Redis is also found at an IPv6 address', async () => {
  const server = net.createServer().listen(0, '::1');
  await once(server, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  expect(await listens(`redis://[::1]:${port}`)).toBe(true);
  server.close();
});
