'use strict';
const { once } = require('node:events');
const net = require('node:net');
const { takeLock } = require('../lib/lock');
const { allPids, descriptorsOf, listening, readOrNothing } = require('../lib/proc');
const { UsageError } = require('../lib/command-line');

const loopback = '127.0.0.1';
const ipv6Loopback = '::1';
/** The error on a machine without IPv6. */
const noIpv6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];
const everywhere = '0.0.0.0';
const lastPort = 65535;
const takenByStart = 'is taken by another option, or by another npm start';

/** @typedef {'port' | 'tls-port' | 'worker-port' | 'admin-port' | 'write-port'} PortOption */

/** By option: the default first port, and the addresses on which its ports must be free. */
const portOptions = {
  port: { first: 8080, hosts: [everywhere] },
  'tls-port': { first: 8443, hosts: [everywhere] },
  'worker-port': { first: 3030, hosts: [loopback] },
  'admin-port': { first: 9030, hosts: [loopback] },
  'write-port': { first: 7030, hosts: [loopback] },
};

/**
 * Locks of this start, held until its process ends: a port that we chose is not open yet when another start looks.
 * @type {net.Server[]}
 */
const reservations = [];

/**
 * @param {number} port @param {string} host
 * @returns {Promise<string | null>} the reason why we may not listen there, null when we may
 */
function whyNot(port, host) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (error) => resolve(/** @type {NodeJS.ErrnoException} */ (error).code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** @returns {Promise<boolean>} whether this machine has `::1` */
const hasIpv6Loopback = async () => (await whyNot(0, ipv6Loopback)) === null;

/**
 * A port must be free on both loopback addresses: `localhost` may mean either.
 * @param {number} port @param {string} host
 */
async function whyNotOnBoth(port, host) {
  const reason = await whyNot(port, host);
  if (reason) return reason;
  const onIpv6 = await whyNot(port, ipv6Loopback);
  return onIpv6 && noIpv6.includes(onIpv6) ? null : onIpv6;
}

/** @param {number} port @returns {string} ` by node (pid 42)`, or nothing when the holder is another account's */
function holderOf(port) {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const found = listening().find(({ local }) => local.endsWith(end));
  const pid = found && allPids().find((each) => descriptorsOf(each).includes(`socket:[${found.inode}]`));
  const name = pid && readOrNothing(`/proc/${pid}/comm`).trim();
  return name ? ` by ${name} (pid ${pid})` : '';
}

/** @returns {Promise<number>} a port that was free a moment ago */
async function freePort() {
  const server = net.createServer().listen(0, loopback);
  await once(server, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  return port;
}

/** @typedef {Awaited<ReturnType<typeof takePorts>>} Ports of one stack */

/**
 * Takes the ports of a stack: those that are named, and for the others the default ones or the next that are free.
 * @param {Pick<import('./start-options').StartOptions, 'ports' | 'tls' | 'workers'>} options
 * @param {(line: string) => void} say which port was moved
 * @throws {UsageError} naming the port that is taken, who holds it and the option that moves it
 */
async function takePorts({ ports: named, tls, workers }, say) {
  const counts = { port: 1, 'tls-port': tls ? 1 : 0, 'worker-port': workers, 'admin-port': workers, 'write-port': 2 };
  const options = /** @type {PortOption[]} */ (Object.keys(counts)).filter((option) => counts[option] > 0);
  /** @type {Partial<Record<PortOption, number[]>>} */
  const taken = {};
  // The named ones first; the others can move.
  for (const option of options.toSorted((a, b) => Number(b in named) - Number(a in named)))
    taken[option] = await takeRun(option, counts[option], named[option], say);
  return {
    port: /** @type {number[]} */ (taken.port)[0],
    tlsPort: taken['tls-port']?.[0], // only with a certificate
    workerPorts: /** @type {number[]} */ (taken['worker-port']),
    adminPorts: /** @type {number[]} */ (taken['admin-port']),
    writePorts: /** @type {number[]} */ (taken['write-port']),
  };
}

/**
 * @param {PortOption} option @param {number} count @param {number | undefined} named its first port
 * @param {(line: string) => void} say
 * @param {{ from: number, why: string }} [moved] where to look, and what was in the way so far
 * @returns {Promise<number[]>} neighbours
 */
async function takeRun(option, count, named, say, moved) {
  const { first, hosts } = portOptions[option];
  const { from, why } = moved ?? { from: named ?? first, why: '' };
  const last = from + count - 1;
  if (last > lastPort)
    throw new UsageError(`no run of ${count} from port ${named ?? first} on is free: choose one with --${option} P`);
  const run = Array.from({ length: count }, (_, index) => from + index);
  const obstacle = await reserve(run, hosts);
  if (!obstacle) {
    if (why) say(`${why}: taking ${count === 1 ? from : `${from} to ${last}`} (--${option} P names another)`);
    return run;
  }
  const { number, reason } = obstacle;
  if (named !== undefined) throw new UsageError(portMessage(number, option, reason));
  return takeRun(option, count, named, say, { from: number + 1, why: why || reasonText(number, reason) });
}

/**
 * @param {number[]} run @param {string[]} hosts
 * @returns {Promise<{ number: number, reason: string } | undefined>} the first port that is not free; no lock is kept then
 */
async function reserve(run, hosts) {
  const locks = [];
  for (const number of run) {
    const lock = await takeLock(`port ${number}`);
    if (lock) locks.push(lock);
    const reasons = lock ? await Promise.all(hosts.map((host) => whyNotOnBoth(number, host))) : [takenByStart];
    const reason = reasons.find(Boolean);
    if (!reason) continue;
    for (const each of locks) each.close();
    return { number, reason };
  }
  reservations.push(...locks);
  return undefined;
}

/**
 * @param {{ option: string, host: string, number: number }[]} wanted
 * @throws {UsageError} naming the port, who holds it and the option that moves it
 */
async function requireFree(wanted) {
  for (const { option, host, number } of wanted) {
    const reason = await whyNotOnBoth(number, host);
    if (reason) throw new UsageError(portMessage(number, option, reason));
  }
}

/** @param {number} number @param {string} reason */
function reasonText(number, reason) {
  if (reason === 'EADDRINUSE') return `port ${number} is in use${holderOf(number)}`;
  if (reason === 'EACCES') return `port ${number} needs root`;
  return `port ${number} ${reason}`;
}

/** @param {number} number @param {string} option @param {string} reason */
function portMessage(number, option, reason) {
  const next = `choose another with --${option} P`;
  return `${reasonText(number, reason)}: ${reason === 'EACCES' ? `${next} of 1024 or more` : next}`;
}

module.exports = { freePort, hasIpv6Loopback, lastPort, portOptions, requireFree, takePorts };
