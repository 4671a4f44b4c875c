'use strict';

/**
 * One worker in the upstream, as nginx writes it.
 * A worker that failed three times gets one request in three seconds until it answers: a stuck one would cost each
 * request that meets it its timeout. Bad requests can bring every worker there (by nginx's default a single one does,
 * for 10 s); then the same workers go on as their own backup, which is never ejected.
 * @param {string} address host:port @param {boolean} [down] gets nothing new; what it is answering is finished
 */
const serverLines = (address, down = false) =>
  down
    ? [`server ${address} down;`]
    : [`server ${address} max_fails=3 fail_timeout=3s;`, `server ${address} max_fails=0 backup;`];

/**
 * The workers of a fleet, for the file that the upstream includes: all that changes when a node comes or goes.
 * @param {{ addresses: string[], down: boolean }[]} nodes
 * @returns {string}
 */
const renderUpstreams = (nodes) =>
  nodes
    .flatMap(({ addresses, down }) => addresses.flatMap((address) => serverLines(address, down)))
    .map((line) => `${line}\n`)
    .join('');

module.exports = { renderUpstreams, serverLines };
