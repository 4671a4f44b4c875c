'use strict';

/**
 * One worker in the upstream.
 * A worker that failed three times gets one request in three seconds until it answers, since a stuck worker delays each request that meets
 * it. Bad requests can bring every worker there (by nginx's default a single request does, for 10 s). The same workers then serve as
 * their own backups, which are never ejected.
 * @param {string} address host:port
 */
const serverLines = (address) => [
  `server ${address} max_fails=3 fail_timeout=3s;`,
  `server ${address} max_fails=0 backup;`,
];

/**
 * The workers of a fleet, for the file that the upstream includes. Nothing else changes when a node is added or removed.
 * @param {string[]} addresses host:port
 * @returns {string}
 */
const renderUpstreams = (addresses) =>
  addresses
    .flatMap(serverLines)
    .map((line) => `${line}\n`)
    .join('');

module.exports = { renderUpstreams, serverLines };
