'use strict';

const { EXPORT_VIEWS, QUERY_PARAMETERS } = require('../../core/policy');
const { queryIn } = require('./known-names');
const { oneOf, parameter } = require('./params');

/** @typedef {import('../../core/policy').ExportView} ExportView */

/**
 * @param {string} url of the request
 * @returns {{ view: ExportView, after: number }} after: 0 for all products
 * @throws {import('../../core/errors').Problem} 400
 */
function exportParams(url) {
  const query = queryIn({ url }, QUERY_PARAMETERS['/export']);
  return { view: oneOf(query, 'view', EXPORT_VIEWS) ?? 'card', after: parameter(query, 'after') ?? 0 };
}

exports.exportParams = exportParams;
