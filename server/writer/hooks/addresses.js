'use strict';

const dns = require('node:dns');
const { BlockList, isIP } = require('node:net');

/** Not of the public network (IANA's registries of special addresses). Those of IPv4 count inside IPv6 too. */
const IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];
const IPV6 = [
  ...['::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];
/** Behind it NAT64 has an address of IPv4. BlockList itself knows the ones of `::ffff:`. */
const NAT64 = '64:ff9b::';

const PRIVATE = new BlockList();
for (const [net, bits] of IPV4.map((text) => text.split('/'))) {
  PRIVATE.addSubnet(net, Number(bits), 'ipv4');
  PRIVATE.addSubnet(NAT64 + net, 96 + Number(bits), 'ipv6');
}
for (const [net, bits] of IPV6.map((text) => text.split('/'))) PRIVATE.addSubnet(net, Number(bits), 'ipv6');

/** @param {string} address an IP address, that of a link with its zone */
function isPrivate(address) {
  const [bare] = address.split('%', 1); // BlockList throws at a zone
  return PRIVATE.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
}

/** @param {string} what @returns {string} says why a hook does not reach it */
const refusalOf = (what) => `${what} needs --allow-private, which also allows addresses of one's own network`;

/**
 * Says what a URL names without a look at DNS.
 * @param {URL} url @returns {string | null} why it needs --allow-private; null: it may go out, if its name leads to a public address
 */
function privateIn({ protocol, hostname }) {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (protocol !== 'https:') return refusalOf('http');
  if (isIP(host) ? isPrivate(host) : /(^|\.)localhost$/.test(host)) return refusalOf(`${host}, a private address,`);
  return null;
}

/**
 * Instead of dns.lookup: gives a connection public addresses only, so a name that leads elsewhere later reaches nothing either.
 * @param {string} hostname @param {import('node:dns').LookupOptions} options @param {(error: Error | null, ...found: any[]) => void} found
 */
function publicLookup(hostname, options, found) {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return found(error);
    const open = addresses.filter(({ address }) => !isPrivate(address));
    if (open.length === 0) return found(new Error(refusalOf(`${addresses[0].address}, a private address,`)));
    return options.all ? found(null, open) : found(null, open[0].address, open[0].family);
  });
}

exports.isPrivate = isPrivate;
exports.privateIn = privateIn;
exports.publicLookup = publicLookup;
