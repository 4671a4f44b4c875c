'use strict';
const net = require('node:net');

const { createProxy, Direction } = require('../../lab/testbed/proxy');
const { until } = require('../../helpers/app');

/** A server that answers each packet with the same text. @param {string} text */
async function startServer(text) {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write(text));
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  return { host: '127.0.0.1', port, close: () => void server.close() };
}

/** @param {number} port @param {string} text @returns {Promise<string>} bytes before the end of the connection */
const ask = (port, text) =>
  new Promise((resolve) => {
    let reply = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (data) => {
      reply += data;
      if (reply.endsWith('.')) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(reply));
  });

describe('a misbehaving proxy', () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {import('../../lab/testbed/proxy').Proxy} */
  let proxy;
  beforeEach(async () => {
    server = await startServer('twelve bytes.');
    proxy = await createProxy(server);
  });
  afterEach(async () => {
    await proxy.close();
    server.close();
  });

  test.each([
    ['passes', {}, 'twelve bytes.'],
    ['cuts', { cutAfterBytes: 6 }, 'twelve'],
    ['refuses', { refused: true }, ''],
  ])('%s', async (_, misbehaviour, reply) => {
    proxy.set(misbehaviour);
    expect(await ask(proxy.port, 'x')).toBe(reply);
    expect(proxy.accepted).toBe(1);
  });

  test('holds what it receives, and passes it on afterwards', async () => {
    const sound = await createProxy(server);
    proxy.hold(true);
    let replied = false;
    const reply = ask(proxy.port, 'x').finally(() => (replied = true));
    await until(() => proxy.accepted === 1);
    await ask(sound.port, 'x'); // the same way, begun later
    expect(replied).toBe(false);
    proxy.hold(false);
    expect(await reply).toBe('twelve bytes.');
    await sound.close();
  });

  test('heals', async () => {
    proxy.refuse();
    proxy.heal();
    expect(await ask(proxy.port, 'x')).toBe('twelve bytes.');
  });
});

describe('one direction of a connection', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** @param {Partial<import('../../lab/testbed/proxy').Misbehaviour>} faults @param {boolean} isReply */
  function watched(faults, isReply) {
    /** @type {string[]} */
    const written = [];
    const to = /** @type {any} */ ({
      write: (/** @type {Buffer} */ piece) => written.push(`${piece}`),
    });
    const none = { refused: false, held: false, delayMs: 0, jitterMs: 0, sliceBytes: 0 };
    const direction = new Direction(to, { ...none, cutAfterBytes: 0, ...faults }, isReply);
    return { written, pass: (/** @type {string} */ text) => direction.pass(Buffer.from(text)) };
  }

  test.each([false, true])('delays each piece and keeps their order (a reply: %s)', async (isReply) => {
    const { written, pass } = watched({ delayMs: 1000, jitterMs: 500 }, isReply);
    for (const text of '123456') pass(text);
    await jest.advanceTimersByTimeAsync(499);
    expect(written).toEqual([]);
    await jest.advanceTimersByTimeAsync(1001);
    expect(written).toEqual([...'123456']);
  });

  test('slices replies only', async () => {
    const pieces = [false, true].map((isReply) => {
      const { written, pass } = watched({ sliceBytes: 3 }, isReply);
      pass('twelve bytes.');
      return written;
    });
    await jest.runAllTimersAsync();
    expect(pieces).toEqual([['twelve bytes.'], ['twe', 'lve', ' by', 'tes', '.']]);
  });
});
