'use strict';

/** What nginx.conf of a balancer includes; nothing else of it changes with the fleet. */
const upstreamsFile = '/etc/catalog/upstreams.conf';

/** Where things lie on every node with nginx: scripts/provision makes the folders, scripts/cluster simulates them. */
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
  openFiles: 65536,
};

module.exports = { nodeSettings, upstreamsFile };
