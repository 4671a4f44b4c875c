'use strict';

const { Problem } = require('../../core/errors');
const { noParams } = require('../params/search-params');
const { MalformedBody, bodyIn } = require('../params/ucp-bodies');
const { TOOLS } = require('../params/ucp-tools');

/** @typedef {(parts: import('../../routes').Parts) => import('express').RequestHandler} Controller */

/** The specification lets platforms keep a profile for so long. */
const PROFILE_CACHE_CONTROL = 'public, max-age=3600';

/**
 * A refusal in the form of UCP, which the client can avoid. All other failures are problems, as on each route.
 * @param {unknown} error @param {string} version
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

/** @param {keyof typeof TOOLS} tool @returns {Controller} */
const asked =
  (tool) =>
  ({ catalog, answer }) =>
  async (req, res) => {
    const { ucp } = catalog.forShop;
    noParams(req.url);
    await answer('ucp', req, res, async () => {
      try {
        return { value: await TOOLS[tool].ask(ucp, bodyIn(req.body)) };
      } catch (error) {
        return refusal(error, ucp.profile.ucp.version);
      }
    });
  };

/** POST /ucp/catalog/search */
const ucpSearch = asked('search_catalog');
/** POST /ucp/catalog/lookup */
const ucpLookup = asked('lookup_catalog');
/** POST /ucp/catalog/product */
const ucpProduct = asked('get_product');

/** GET /.well-known/ucp @type {Controller} */
const ucpProfile =
  ({ catalog, answer }) =>
  async (req, res) => {
    const { profile: value } = catalog.forShop.ucp;
    noParams(req.url);
    await answer('ucp', req, res, () => ({ value, cacheControl: PROFILE_CACHE_CONTROL }));
  };

exports.refusal = refusal;
exports.ucpSearch = ucpSearch;
exports.ucpLookup = ucpLookup;
exports.ucpProduct = ucpProduct;
exports.ucpProfile = ucpProfile;
