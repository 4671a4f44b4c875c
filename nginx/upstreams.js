'use strict';

/**
 * One worker in the upstream.
 * A worker that failed three times gets one request in three seconds until it answers, since a stuck worker delays each request that meets
 * it. Bad requests can bring every worker there (by nginx's default a single request does, for 10 s). The same workers then serve as
 * their own backups, which are never ejected.
 * @param {string} address host:port @param {boolean} [down] gets no new request and finishes those that it has
 */
const serverLines = (address, down = false) =>
  down
    ? [`server ${address} down;`]
    : [`server ${address} max_fails=3 fail_timeout=3s;`, `server ${address} max_fails=0 backup;`];

/**
 * The workers of a fleet, for the file that the upstream includes. Nothing else changes when a node is added or removed.
 * @param {{ addresses: string[], down: boolean }[]} nodes
 * @returns {string}
 */
const renderUpstreams = (nodes) =>
  nodes
    .flatMap(({ addresses, down }) => addresses.flatMap((address) => serverLines(address, down)))
    .map((line) => `${line}\n`)
    .join('');

module.exports = { renderUpstreams, serverLines };
