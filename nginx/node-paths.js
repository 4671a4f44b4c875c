'use strict';

/** The file that a balancer's nginx.conf includes. Nothing else changes with the fleet. */
const upstreamsFile = '/etc/catalog/upstreams.conf';

/** Paths and ports on every node with nginx. scripts/fleet makes the folders. */
const nodeSettings = {
  tls: {
    certificate: '/etc/catalog/tls/fullchain.pem',
    key: '/etc/catalog/tls/key.pem',
    port: 443,
  },
  upstreams: upstreamsFile,
  work: '/var/cache/catalog-nginx',
  cache: '/run/catalog-nginx/cache', // a tmpfs
  logs: '/var/log/catalog-nginx',
  challenges: '/var/lib/catalog-acme',
  openFiles: 65536,
  statusPort: 8081, // scripts/fleet/roles/exporters
};

module.exports = { nodeSettings, upstreamsFile };
