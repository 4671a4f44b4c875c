'use strict';
const { once } = require('node:events');
const net = require('node:net');
const { portOptions, takePorts } = require('../../../scripts/local/ports');
const { freePort } = require('../../helpers/servers');

/** @type {net.Server[]} */
const strangers = [];
/** @type {number} the first of twelve neighbours; the first ten are the default ports here */
let first;
/** @type {string[]} */
let said;
const say = (/** @type {string} */ line) => said.push(line);

beforeEach(async () => {
  said = [];
  first = await freePort(12);
  Object.values(portOptions).forEach((option, index) => (option.first = first + 2 * index));
});
afterEach(() => {
  for (const stranger of strangers.splice(0)) stranger.close();
});

/** @param {number} port */
async function takenByStranger(port) {
  const stranger = net.createServer().listen(port, '127.0.0.1');
  await once(stranger, 'listening');
  strangers.push(stranger);
}

const tls = { certificate: '', key: '' };

test('free default ports are used silently', async () => {
  expect(await takePorts({ ports: {}, workers: 2, tls }, say)).toEqual({
    port: first,
    tlsPort: first + 2,
    workerPorts: [first + 4, first + 5],
    adminPorts: [first + 6, first + 7],
    writePorts: [first + 8, first + 9],
  });
  expect(said).toEqual([]);
});

test('a taken default port is replaced by the next free one, and a line names its holder', async () => {
  await takenByStranger(first);
  await takenByStranger(first + 5); // the second of two neighbours
  const { port, workerPorts } = await takePorts({ ports: {}, workers: 2, tls: undefined }, say);
  expect([port, workerPorts]).toEqual([first + 1, [first + 6, first + 7]]);
  const holder = `port ${first} is in use by \\S+ \\(pid ${process.pid}\\)`;
  expect(said[0]).toMatch(new RegExp(`^${holder}: taking ${first + 1} \\(--port P names another\\)$`));
  expect(said[1]).toContain(`taking ${first + 6} to ${first + 7} (--worker-port P names another)`);
});

test('two starts at the same moment never use the same ports, although none listens yet', async () => {
  const options = { ports: {}, workers: 1, tls };
  const both = await Promise.all([takePorts(options, say), takePorts(options, say)]);
  expect(new Set(both.flatMap((ports) => Object.values(ports).flat())).size).toBe(2 * 6);
  expect(said.join('\n')).toContain('is taken by another option, or by another npm start');
});

test('a named port is never replaced, and default ports avoid it', async () => {
  const { port } = await takePorts({ ports: { 'admin-port': first }, workers: 1, tls: undefined }, say);
  expect(port).toBe(first + 1);
  await takenByStranger(first + 11);
  await expect(takePorts({ ports: { 'tls-port': first + 11 }, workers: 1, tls }, say)).rejects.toThrow(
    `(pid ${process.pid}): choose another with --tls-port P`,
  );
  const twice = { port: first + 10, 'worker-port': first + 10 };
  await expect(takePorts({ ports: twice, workers: 1, tls: undefined }, say)).rejects.toThrow(
    `port ${first + 10} is taken by another option, or by another npm start: choose another with --worker-port P`,
  );
});
