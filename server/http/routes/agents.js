'use strict';

const { Problem } = require('../../core/errors');
const { noParams } = require('../params/search-params');
const { MalformedBody, lookupBody, productBody, searchBody } = require('../params/ucp-bodies');

/** @typedef {import('../../catalog/ucp').Ucp} Ucp */
/** @typedef {(parts: import('../../routes').Parts) => import('express').RequestHandler} Controller */

/** The specification lets platforms keep a profile for so long. */
const PROFILE_CACHE_CONTROL = 'public, max-age=3600';

/**
 * A refusal in the form of UCP, which the client can avoid. All other failures are problems, as on each route.
 * @param {unknown} error @param {string} version @returns {import('../replies/json-answer').Answer}
 */
function refusal(error, version) {
  const isRefused = error instanceof MalformedBody || (error instanceof Problem && error.status < 500);
  if (!isRefused) throw error;
  const { status, code, path } =
    error instanceof MalformedBody
      ? { status: 400, code: error.code, path: error.path }
      : { status: error.status, code: 'invalid_request', path: undefined };
  const message = { type: 'error', code, ...(path && { path }), content: error.message, severity: 'recoverable' };
  return { status, value: { ucp: { version, status: 'error' }, messages: [message] } };
}

/** @param {(ucp: Ucp, bytes: Buffer | undefined) => Promise<object>} ask reads the body, and the catalog @returns {Controller} */
const asked =
  (ask) =>
  ({ catalog, answer }) =>
  async (req, res) => {
    const { ucp } = catalog.forShop;
    noParams(req.url);
    await answer('ucp', req, res, async () => {
      try {
        return { value: await ask(ucp, req.body) };
      } catch (error) {
        return refusal(error, ucp.profile.ucp.version);
      }
    });
  };

/** POST /ucp/catalog/search */
const ucpSearch = asked(async (ucp, bytes) => ucp.search(searchBody(bytes)));
/** POST /ucp/catalog/lookup */
const ucpLookup = asked(async (ucp, bytes) => ucp.lookup(lookupBody(bytes, ucp.limits.products)));
/** POST /ucp/catalog/product */
const ucpProduct = asked(async (ucp, bytes) => ucp.product(productBody(bytes)));

/** GET /.well-known/ucp @type {Controller} */
const ucpProfile =
  ({ catalog, answer }) =>
  async (req, res) => {
    const { profile: value } = catalog.forShop.ucp;
    noParams(req.url);
    await answer('ucp', req, res, () => ({ value, cacheControl: PROFILE_CACHE_CONTROL }));
  };

exports.ucpSearch = ucpSearch;
exports.ucpLookup = ucpLookup;
exports.ucpProduct = ucpProduct;
exports.ucpProfile = ucpProfile;
