'use strict';

const mostPerSecond = 100_000;

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {number} requests a second for each client address; 0: no limit
 */
function rateLimitOf(env) {
  const text = env.CATALOG_RATE_LIMIT || '0';
  if (!/^[0-9]+$/.test(text) || Number(text) > mostPerSecond) {
    throw new Error(
      `CATALOG_RATE_LIMIT ${text}: must be a whole number of requests a second, at most ${mostPerSecond}, or 0 for no limit`,
    );
  }
  return Number(text);
}

/** A page is 35 requests at once. The pages and what they load are these, as http/routes/ of the server has them. */
const FILES = String.raw`^GET/(?:(?:browser/(?:shop|shared)|client|docs)/[\w-][\w.-]*|docs/?|openapi\.json|llms\.txt)?(?:\?|$)`;

const KEY = `map $request_method$request_uri $limited_client {
    default $binary_remote_addr;
    "~${FILES}" "";
}`.split('\n');

/** Lines of the http block. A request with an empty key is not limited. @param {number} perSecond */
const rateLimitZone = (perSecond) =>
  perSecond > 0 ? [...KEY, `limit_req_zone $limited_client zone=clients:10m rate=${perSecond}r/s;`] : [];

/**
 * Lines of the server block. The limit comes before the cache, so a cached reply counts too.
 * @param {number} perSecond
 */
const rateLimitLines = (perSecond) =>
  perSecond > 0
    ? [
        `limit_req zone=clients burst=${perSecond} nodelay;  # a page of a storefront requests several routes at once`,
        'limit_req_status 429;',
        'limit_req_log_level info;  # a flood must not fill the error log as well',
      ]
    : [];

module.exports = { rateLimitOf, rateLimitZone, rateLimitLines };
