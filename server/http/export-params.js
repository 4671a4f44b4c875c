'use strict';

const { malformedParameter } = require('../errors');
const { EXPORT_VIEWS, QUERY_PARAMETERS } = require('../policy');
const { requireKnownNames } = require('./known-names');
const { nearest } = require('./nearest');
const { parameter, queryOf, shown, textOf } = require('./params');

/** @typedef {import('../policy').ExportView} ExportView */

/**
 * @param {string} url of the request
 * @returns {{ view: ExportView, after: number }} after: 0 for all products
 * @throws {import('../errors').Problem} 400
 */
function exportParams(url) {
  const query = queryOf(url);
  if (!query) return { view: 'card', after: 0 };
  requireKnownNames(query, QUERY_PARAMETERS['/export']);
  return { view: viewOf(textOf(query, 'view') ?? 'card'), after: parameter(query, 'after') ?? 0 };
}

/** @param {string} text */
function viewOf(text) {
  const view = EXPORT_VIEWS.find((each) => each === text);
  if (view) return view;
  const meant = nearest(text, EXPORT_VIEWS);
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  throw malformedParameter(`view may be ${EXPORT_VIEWS.join(', ')}, and not ${shown(text)}.${hint}`);
}

exports.exportParams = exportParams;
