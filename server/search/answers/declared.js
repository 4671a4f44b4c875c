'use strict';

const { malformedParameter } = require('../../core/errors');
const { hasScale } = require('../../core/field-range');
const { FIELD } = require('../../core/policy');
const { hint, shown } = require('../../core/refusals');

/** @typedef {import('../../core/field-range').Field} Field */

/**
 * A query may name the fields that the load declares.
 * @param {Map<string, Field>} fields @param {import('./query').Query} query
 * @throws {import('../../core/errors').Problem} 400 that names the nearest of them
 */
function requireDeclared(fields, { filters, facets, sort }) {
  for (const name of Object.keys(filters))
    requireOne(fields, name, { filter: (field) => field.facet || hasScale(field) });
  for (const name of facets) requireOne(fields, name, { facet: ({ facet }) => facet });
  requireOne(fields, sort?.replace(/^-/, '') ?? '', { sort: (field) => field.sort });
}

/**
 * @param {Map<string, Field>} fields @param {string} name of a parameter, facet or sort
 * @param {Record<string, (field: Field) => boolean>} uses the fields of one use
 */
function requireOne(fields, name, uses) {
  if (!name.startsWith(FIELD)) return;
  const [[use, isUsed]] = Object.entries(uses);
  const field = fields.get(name.slice(FIELD.length));
  if (field && isUsed(field)) return;
  const names = [...fields.values()].filter(isUsed).map((each) => FIELD + each.name);
  const only = names.length > 0 ? `a ${use} may be only ${names.join(', ')}` : `no field is a ${use}`;
  const cause = field
    ? `fields.json of the load declares ${name} without "${use === 'sort' ? 'sort' : 'facet'}": true`
    : `The load has no field ${shown(name)}`;
  throw malformedParameter(`${cause}: ${only}.${hint(name, names)}`);
}

exports.requireDeclared = requireDeclared;
