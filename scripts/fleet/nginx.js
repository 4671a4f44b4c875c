'use strict';
const { spawnSync } = require('node:child_process');
const { canKeepIdle } = require('../../nginx/keep-idle');
const { nodeSettings } = require('../../nginx/node-paths');
const { rateLimitOf } = require('../../nginx/rate-limit');
const { renderNginx } = require('../../nginx/render');
const { fleetOf } = require('../../nginx/retries');

/*
 * Prints nginx.conf of a balancer: `node nginx.js JSON`. On one machine the number of workers limits the requests in progress; in a
 * fleet it changes without a new nginx.conf.
 */
/**
 * @type {{ port: number, rateLimit: number, trustedProxies: string[], workers: string[], mostWorkers: number,
 *   writers: { port: number, addresses: string[] } | null }} workers: on one machine, else empty; mostWorkers: of one node
 */
const { rateLimit, workers, mostWorkers, writers, ...settings } = JSON.parse(process.argv[2]);

const configuration = renderNginx({
  ...nodeSettings,
  ...settings,
  user: 'www-data www-data',
  keepsIdle: canKeepIdle(spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr),
  writers: writers ?? undefined,
  rateLimit: rateLimitOf({ CATALOG_RATE_LIMIT: String(rateLimit) }),
  ...(workers.length > 0 ? { workers } : { retries: fleetOf(mostWorkers) }),
});
process.stdout.write(configuration);
