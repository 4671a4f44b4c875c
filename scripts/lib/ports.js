'use strict';
const { once } = require('node:events');
const net = require('node:net');
const { allPids, descriptorsOf, listening, readOrNothing } = require('./proc');
const { UsageError } = require('./command-line');

const loopback = '127.0.0.1';
const ipv6Loopback = '::1';
/** Of a machine without IPv6, or with IPv6 switched off. */
const noIpv6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

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
 * What listens on one loopback must have the other, too: `localhost` may lead a client to either.
 * @param {number} port @param {string} host
 */
async function whyNotOnBoth(port, host) {
  const reason = await whyNot(port, host);
  if (reason) return reason;
  const onIpv6 = await whyNot(port, ipv6Loopback);
  return onIpv6 && noIpv6.includes(onIpv6) ? null : onIpv6;
}

/**
 * @param {number} port
 * @returns {string} ` by node (pid 42)`, or nothing when the holder is another account's
 */
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

/**
 * @param {Pick<import('./start-options').StartOptions, 'port' | 'workerPorts' | 'adminPorts'> & Partial<Pick<import('./start-options').StartOptions, 'tls'>>} options
 * @throws {UsageError} naming the port, who holds it and the option that moves it
 */
async function requirePorts({ port, tls, workerPorts, adminPorts }) {
  const wanted = [
    { option: 'port', host: '0.0.0.0', ports: [port] },
    { option: 'tls-port', host: '0.0.0.0', ports: tls ? [tls.port] : [] },
    { option: 'worker-port', host: loopback, ports: workerPorts },
    { option: 'admin-port', host: loopback, ports: adminPorts },
  ].flatMap(({ ports, ...rest }) => ports.map((number) => ({ ...rest, number })));
  await requireFree(wanted);
}

/**
 * @param {{ option: string, host: string, number: number }[]} wanted
 * @throws {UsageError} naming the port, who holds it and the option that moves it
 */
async function requireFree(wanted) {
  const seen = new Set();
  for (const { option, host, number } of wanted) {
    const reason = seen.has(number) ? 'asked for twice' : await whyNotOnBoth(number, host);
    seen.add(number);
    if (reason) throw new UsageError(portMessage(number, option, reason));
  }
}

/** @param {number} number @param {string} option @param {string} reason */
function portMessage(number, option, reason) {
  const next = `choose another with --${option} P`;
  if (reason === 'EADDRINUSE') return `port ${number} is in use${holderOf(number)}: ${next}`;
  if (reason === 'EACCES') return `port ${number} needs root: ${next} of 1024 or more`;
  return `port ${number}: ${reason}: ${next}`;
}

module.exports = { freePort, hasIpv6Loopback, requireFree, requirePorts };
