'use strict';
const { spawnSync } = require('node:child_process');
const { nodeSettings } = require('../../nginx/node-paths');
const { renderNginx } = require('../../nginx/render');
const { fleet } = require('../../nginx/retries');
const { python } = require('../../scripts/lib/runtime');

/* Gives gixy the configuration of a balancer with every option. `npm run check` runs it. */

const skipped = [
  'worker_rlimit_nofile_vs_connections', // the limit is of systemd or the shell, and worker_connections are half of it
  'status_page_exposed', // on loopback
];

const text = renderNginx({
  ...nodeSettings,
  port: 80,
  user: 'www-data www-data',
  ipv6Loopback: true,
  keepsIdle: true,
  rateLimit: 100,
  retries: fleet,
  trustedProxies: ['10.0.0.10/32'],
  writers: { port: 8443, addresses: ['10.0.0.20:7030'] },
});
// It stops at a possessive quantifier. A greedy one matches more, so no finding is lost.
const greedy = text.replace(/([*+?}])\+/g, '$1');
const words = ['-m', 'gixy', '--disable-includes', `--skips=${skipped.join()}`, '-'];
const { status, stdout, stderr } = spawnSync(python, words, { input: greedy, encoding: 'utf8' });
if (status !== 0) console.log(`${stderr}${stdout}`);
process.exitCode = status ?? 1;
