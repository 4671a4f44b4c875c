'use strict';

/**
 * One server of the upstream, as nginx writes it.
 * max_fails=0: by default one bad request ejects every worker it is tried on, for 10 s.
 * @param {string} address host:port @param {boolean} [down] gets nothing new; what it is answering is finished
 */
const serverLine = (address, down = false) =>
  `server ${address} max_fails=0${down ? ' down' : ''};`;

/**
 * The workers of a fleet, for the file that the upstream includes: all that changes when a node comes or goes.
 * @param {{ addresses: string[], down: boolean }[]} nodes
 * @returns {string}
 */
const renderUpstreams = (nodes) =>
  nodes
    .flatMap(({ addresses, down }) => addresses.map((address) => `${serverLine(address, down)}\n`))
    .join('');

module.exports = { renderUpstreams, serverLine };
