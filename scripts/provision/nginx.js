'use strict';
const { spawnSync } = require('node:child_process');
const { canKeepIdle } = require('../../nginx/keep-idle');
const { nodeSettings } = require('../../nginx/node-paths');
const { rateLimitOf } = require('../../nginx/rate-limit');
const { renderNginx } = require('../../nginx/render');
const { fleet } = require('../../nginx/retries');

/*
 * Prints nginx.conf of a node: `node nginx.js all|lb PORT HOST:PORT,…`, with CATALOG_RATE_LIMIT of the environment. On one machine
 * the number of workers limits the requests in progress; in a fleet it changes without a new nginx.conf.
 */
const [role, port, workers] = process.argv.slice(2);

const configuration = renderNginx({
  ...nodeSettings,
  port: Number(port),
  user: 'www-data www-data',
  keepsIdle: canKeepIdle(spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr),
  rateLimit: rateLimitOf(process.env),
  ...(role === 'lb' ? { retries: fleet } : { workers: workers.split(',') }),
});
process.stdout.write(configuration);
