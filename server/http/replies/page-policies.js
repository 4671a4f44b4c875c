'use strict';

const { JSON_POLICY } = require('../../core/policy');

/** @typedef {Pick<import('../../cache/entry').Entry, 'key' | 'type'>} Described */

/**
 * A page loads script, style and data from this service alone.
 * @param {string} images beside those of this service @param {string} forms where they may lead
 */
const pagePolicy = (images, forms) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' ${images}; ` +
  `connect-src 'self'; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`;

/** By path. The explorer has a form and shows the catalog's photos, which are on any host. Swagger UI has images in its style. */
const PAGE_POLICIES = new Map([
  ['/', pagePolicy('data: https: http:', "'self'")],
  ['/docs', pagePolicy('data:', "'none'")],
  ['/docs/', pagePolicy('data:', "'none'")],
]);

/** @param {Described} entry */
const isPage = ({ type }) => type.startsWith('text/html');

/** @param {Described} entry @returns {string} its Content-Security-Policy; all that is not a page has the same */
const policyOf = (entry) => (isPage(entry) && PAGE_POLICIES.get(entry.key)) || JSON_POLICY;

exports.isPage = isPage;
exports.pagePolicy = pagePolicy;
exports.policyOf = policyOf;
