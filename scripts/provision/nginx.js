'use strict';
const path = require('node:path');
const { fleet, renderNginx } = require('../../nginx/render');

/*
 * Prints nginx.conf of a node: `node nginx.js all|lb PORT`.
 */
const [role, port] = process.argv.slice(2);
const configuration = renderNginx({
  port: Number(port),
  tls: {
    certificate: '/etc/catalog/tls/fullchain.pem',
    key: '/etc/catalog/tls/key.pem',
    port: 443,
  },
  upstreams: '/etc/catalog/upstreams.conf',
  maps: path.join(__dirname, '../../nginx/cache-maps.conf'),
  work: '/var/cache/catalog-nginx',
  logs: '/var/log/catalog-nginx',
  openFiles: 65536,
  user: 'www-data www-data',
  ...(role === 'lb' ? { patience: fleet } : {}),
});
process.stdout.write(configuration);
