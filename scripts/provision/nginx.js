'use strict';
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { rateLimitOf } = require('../../nginx/rate-limit');
const { fleet, renderNginx } = require('../../nginx/render');

/*
 * Prints nginx.conf of a node: `node nginx.js all|lb PORT`, with CATALOG_RATE_LIMIT of the environment.
 */
const [role, port] = process.argv.slice(2);

/** Whether this machine's nginx knows keepalive_min_timeout (1.27.4): the distributions' do not yet. */
function keepsIdle() {
  const { stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  const [major, minor, patch] = (/(\d+)\.(\d+)\.(\d+)/.exec(stderr) ?? []).slice(1).map(Number);
  return major * 1e6 + minor * 1e3 + patch >= 1_027_004;
}

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
  cache: '/run/catalog-nginx/cache',
  logs: '/var/log/catalog-nginx',
  openFiles: 65536,
  user: 'www-data www-data',
  keepsIdle: keepsIdle(),
  rateLimit: rateLimitOf(process.env),
  ...(role === 'lb' ? { patience: fleet } : {}),
});
process.stdout.write(configuration);
