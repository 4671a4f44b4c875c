'use strict';
const { once } = require('node:events');
const net = require('node:net');
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');

/** A plain proxy. */
const wellBehaved = {
  /** New connections are closed at once. */
  refused: false,
  /** Nothing passes and no connection ends: a black hole. */
  held: false,
  /** Before each piece passes, in both directions. */
  delayMs: 0,
  /** Up to this much is added to or taken from the delay. */
  jitterMs: 0,
  /** A connection ends after this much of its replies; 0: never. */
  cutAfterBytes: 0,
};
/** @typedef {typeof wellBehaved} Misbehaviour */

/** One direction of one connection: pieces pass in order, late, cut or not at all. */
class Direction {
  #turn = Promise.resolve();
  #waiting = 0;
  #passedBytes = 0;
  #to;
  #faults;
  #isReply;

  /** @param {net.Socket} to @param {Misbehaviour} faults @param {boolean} isReply */
  constructor(to, faults, isReply) {
    this.#to = to;
    this.#faults = faults;
    this.#isReply = isReply;
  }

  /** @param {Buffer} chunk @returns {boolean} whether more may come at once */
  pass(chunk) {
    const { delayMs, jitterMs, cutAfterBytes } = this.#faults;
    if (cutAfterBytes > 0 && this.#isReply) {
      const left = Math.max(0, cutAfterBytes - this.#passedBytes);
      this.#passedBytes += chunk.length;
      return this.#to.write(chunk.subarray(0, left), () => chunk.length >= left && this.#end());
    }
    if (delayMs === 0 && this.#waiting === 0) return this.#to.write(chunk);
    this.#waiting += 1;
    const dueMs = performance.now() + delayMs + jitterMs * (2 * Math.random() - 1);
    this.#turn = this.#turn.then(() => this.#passLate(chunk, dueMs));
    return true;
  }

  /** @param {Buffer} chunk @param {number} dueMs counted from its arrival, so that a delay does not limit the rate */
  async #passLate(chunk, dueMs) {
    const lateMs = dueMs - performance.now();
    if (lateMs > 0) await new Promise((resolve) => void setTimeout(resolve, lateMs));
    this.#to.write(chunk);
    this.#waiting -= 1;
  }

  #end() {
    this.#to.destroy();
    return true;
  }
}

/**
 * A TCP proxy on a free port of loopback. Not toxiproxy: every machine that runs the tests would need Go.
 * @param {net.NetConnectOpts} target
 */
async function createProxy(target) {
  /** @type {Set<net.Socket>} */
  const sockets = new Set();
  const faults = { ...wellBehaved };
  let accepted = 0;

  /** @param {net.Socket} from @param {net.Socket} to @param {boolean} isReply */
  function join(from, to, isReply) {
    const direction = new Direction(to, faults, isReply);
    sockets.add(from);
    if (faults.held) from.pause();
    from.on('data', (chunk) => {
      if (direction.pass(chunk)) return;
      from.pause();
      to.once('drain', () => faults.held || from.resume());
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  }

  const server = net.createServer({ noDelay: true }, (client) => {
    accepted += 1;
    if (faults.refused) return void client.on('error', () => {}).destroy();
    const upstream = net.connect({ noDelay: true, ...target });
    join(client, upstream, false);
    join(upstream, client, true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => sockets.forEach((socket) => socket.destroy());

  return {
    port: /** @type {net.AddressInfo} */ (server.address()).port,
    /** Connection attempts so far, the refused ones included. */
    get accepted() {
      return accepted;
    },
    /** Keeps what is not named. @param {Partial<Misbehaviour>} changes */
    set: (changes) => void Object.assign(faults, changes),
    /** Lets nothing pass and keeps the connections; off: what was held passes. @param {boolean} held */
    hold(held) {
      faults.held = held;
      sockets.forEach((socket) => (held ? socket.pause() : socket.resume()));
    },
    /** Ends all connections and takes no new ones. */
    refuse() {
      faults.refused = true;
      cut();
    },
    accept: () => void (faults.refused = false),
    cut,
    /** Behaves again. */
    heal() {
      Object.assign(faults, wellBehaved);
      sockets.forEach((socket) => socket.resume());
    },
    async close() {
      cut();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof createProxy>>} Proxy */

/** How often a thread updates its count of connections. */
const countMs = 20;
const orders = ['set', 'hold', 'refuse', 'accept', 'cut', 'heal'];

/**
 * A proxy in a thread of its own: other work of this process must not look like a slow network. Orders take effect in
 * their order, a moment later.
 * @param {net.NetConnectOpts} target
 * @returns {Promise<Proxy>}
 */
async function createProxyThread(target) {
  const accepted = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(__filename, { workerData: { target, accepted } });
  const [port] = await once(thread, 'message');
  const order = (/** @type {string} */ method) => [
    method,
    (/** @type {unknown[]} */ ...args) => thread.postMessage({ method, args }),
  ];
  return {
    ...Object.fromEntries(orders.map(order)),
    port,
    get accepted() {
      return Atomics.load(accepted, 0);
    },
    close: () => thread.terminate(),
  };
}

async function serve() {
  const proxy = /** @type {any} */ (await createProxy(workerData.target));
  setInterval(() => Atomics.store(workerData.accepted, 0, proxy.accepted), countMs);
  parentPort?.on('message', ({ method, args }) => proxy[method](...args));
  parentPort?.postMessage(proxy.port);
}

if (!isMainThread && workerData?.accepted) serve();

module.exports = { createProxy, createProxyThread, Direction };
