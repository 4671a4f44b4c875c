'use strict';
const { renderUpstreams } = require('../../nginx/upstreams');

/*
 * Prints the list of workers that nginx.conf includes: `node upstreams.js HOST:PORT,HOST:PORT`.
 */
const [addresses] = process.argv.slice(2);
process.stdout.write(renderUpstreams(addresses.split(',')));
