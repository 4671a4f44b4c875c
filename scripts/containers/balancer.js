'use strict';
const { fleet } = require('../../nginx/retries');
const { nodeSettings } = require('../../nginx/node-paths');
const { renderNginx } = require('../../nginx/render');

/*
 * Prints nginx.conf of the balancer's image: `node balancer.js http` or `https`, which needs a certificate and also serves plain HTTP.
 * balancer.sh writes the file of upstreams, since only the network knows its name server.
 */

const configuration = renderNginx({
  port: 8080,
  upstreams: '/tmp/upstreams.conf',
  work: '/tmp',
  logs: '/tmp', // linked to the output of the container
  openFiles: 16384, // as compose.yaml
  keepsIdle: true,
  retries: fleet,
  ...(process.argv[2] === 'https' && { tls: { ...nodeSettings.tls, port: 8443 } }),
});
process.stdout.write(configuration);
