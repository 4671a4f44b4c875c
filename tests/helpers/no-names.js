'use strict';
const dns = require('node:dns');
const net = require('node:net');

/*
 * A bare machine resolves no names, not even "localhost". So no test may use one, in a URL or by omitting the host of a connection,
 * for which Node uses "localhost".
 */
const { lookup } = dns;

/** @param {string} name @param {any[]} rest the last one is the callback */
function lookupAddress(name, ...rest) {
  if (net.isIP(name)) return Reflect.apply(lookup, dns, [name, ...rest]);
  const error = new Error(`a test looks up the name "${name}": use 127.0.0.1`);
  process.nextTick(rest.at(-1), Object.assign(error, { code: 'ENOTFOUND' }));
}
dns.lookup = /** @type {typeof lookup} */ (/** @type {unknown} */ (lookupAddress));
