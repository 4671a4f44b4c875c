'use strict';

const { hasScale } = require('../../core/field-range');
const { FIELD } = require('../../core/policy');

/** @typedef {import('../../catalog/declarations').Field} Field */

const RANGE = 'or a range with both ends, as';
/** Values that a filter takes, by type. @type {Record<Field['type'], { description: string, items: object }>} */
const FILTERS = {
  text: { description: 'Any of these values.', items: { type: 'string', minLength: 1 } },
  list: { description: 'Any of these values of the list.', items: { type: 'string', minLength: 1 } },
  boolean: { description: 'Products that have it, or that say no.', items: { enum: ['true', 'false'] } },
  number: {
    description: `A number, ${RANGE} \`100..500\`, \`..500\` or \`100..\`; several are alternatives.`,
    items: { type: 'string', minLength: 1 },
  },
  date: {
    description: `A day in UTC or a time, ${RANGE} \`2026-01-01..2026-01-31\`, \`..2026-01-31\` or \`2026-01-01..\`; several are alternatives.`,
    items: { type: 'string', minLength: 1 },
  },
};

/**
 * Puts the declared fields in place of field.NAME: parameters, facets and sorts of a search.
 * @param {any} document OpenAPI, changed @param {Field[]} fields of all tables
 */
function describeSearch(document, fields) {
  const { parameters } = document.paths['/search'].get;
  const at = parameters.findIndex((/** @type {{ name: string }} */ { name }) => name === `${FIELD}NAME`);
  const filters = fields.filter((field) => field.facet || hasScale(field));
  parameters.splice(
    at,
    1,
    ...filters.map(({ name, type }) => {
      const { description, items } = FILTERS[type];
      const schema = { ...parameters[at].schema, items };
      return { ...parameters[at], name: FIELD + name, description, schema };
    }),
  );
  const schemaOf = (/** @type {string} */ wanted) =>
    parameters.find((/** @type {{ name: string }} */ { name }) => name === wanted).schema;
  const facets = fields.filter(({ facet }) => facet).map(({ name }) => FIELD + name);
  const sorts = fields.filter(({ sort }) => sort).flatMap(({ name }) => [FIELD + name, `-${FIELD}${name}`]);
  onlyNames(schemaOf('facets').items, facets);
  for (const schema of [schemaOf('sort'), document.components.schemas.Catalog.properties.sorts.items])
    onlyNames(schema, sorts);
}

/** Puts names in place of the patterns of field.NAME. @param {{ anyOf: { pattern?: string }[] }} schema @param {string[]} names */
function onlyNames(schema, names) {
  const others = schema.anyOf.filter(({ pattern }) => !/^\^-?field\\\./.test(pattern ?? ''));
  schema.anyOf = names.length > 0 ? [...others, /** @type {{}} */ ({ enum: names })] : others;
}

exports.describeSearch = describeSearch;
