/*
 * Writes the types of a description in OpenAPI. openapi-typescript would, but it needs TypeScript 5. `npm run format` runs this, and a
 * test compares. It throws at what it does not know, because an unknown type would hide a difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** @typedef {Record<string, any>} Schema */

/** Files below server/, and the descriptions that they are written from. */
export const WRITTEN = {
  'openapi.json': 'client/schemas.d.ts',
  'writer/openapi.json': 'client/write/writer-schemas.d.ts',
};

/** A pattern of names such as `feature.NAME`. */
const PREFIX = /^\^([\w-]+)\\\./;
const TYPES = /** @type {Record<string, string>} */ ({ integer: 'number', null: 'null' });

/** @param {any} document OpenAPI 3.1 @param {string} source its file @returns {string} TypeScript: each schema, and the query of each operation */
export function schemasOf(document, source) {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema, '')}export type ${name} = ${typeOf(schema, '')};\n`,
  );
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const queries = operations.flatMap(({ operationId, parameters }) => {
    const all = parameters.map((/** @type {Schema} */ one) => resolve(document, one));
    const lines = all.flatMap((/** @type {Schema} */ { in: place, name, description, schema }) =>
      place === 'query' ? property(name, { description, ...schema }, true, '') : [],
    );
    const name = operationId[0].toUpperCase() + operationId.slice(1);
    return lines.length > 0 ? `export type ${name}Query = {\n${lines.join('')}};\n` : [];
  });
  const head = `// Types of replies and queries. Written from server/${source} by \`npm run format\`.\n`;
  return [head, ...schemas, ...queries].join('\n');
}

/** @param {any} document @param {Schema} part */
const resolve = (document, part) =>
  part.$ref
    ? part.$ref
        .slice(2)
        .split('/')
        .reduce((/** @type {any} */ at, /** @type {string} */ key) => at[key], document)
    : part;

/** @param {Schema} schema @param {string} indent @returns {string} */
function typeOf(schema, indent) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const { oneOf, anyOf = oneOf } = schema;
  if (anyOf) return unionOf(anyOf, indent);
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  if (schema.prefixItems) return tupleOf(schema, indent);
  if (schema.type === 'array') return arrayOf(typeOf(schema.items, indent));
  if (schema.type === 'object') return objectOf(schema, indent);
  if (PREFIX.test(schema.pattern)) return `\`${PREFIX.exec(schema.pattern)?.[1]}.\${string}\``;
  if (['string', 'integer', 'number', 'boolean', 'null'].includes(schema.type))
    return TYPES[schema.type] ?? schema.type;
  if (Object.keys(schema).length === 0) return 'unknown';
  throw new Error(`server/client/write-schemas.js knows no type for ${JSON.stringify(schema)}: add it`);
}

/** @param {Schema[]} schemas @param {string} indent each type once */
const unionOf = (schemas, indent) => [...new Set(schemas.map((each) => typeOf(each, indent)))].join(' | ');

/** @param {Schema} schema @param {string} indent items beyond `minItems` are optional */
const tupleOf = ({ prefixItems, minItems }, indent) =>
  `[${prefixItems.map((/** @type {Schema} */ each, /** @type {number} */ index) => typeOf(each, indent) + (index < minItems ? '' : '?')).join(', ')}]`;

/** @param {unknown} value */
const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));

/** @param {string} type */
const arrayOf = (type) => (type.includes(' | ') ? `(${type})[]` : `${type}[]`);

/** @param {Schema} schema @param {string} indent */
function objectOf({ properties, required = [], additionalProperties, patternProperties }, indent) {
  if (patternProperties) return `Record<string, ${unionOf(Object.values(patternProperties), indent)}>`;
  if (!properties) return `Record<string, ${typeOf(additionalProperties || {}, indent)}>`;
  const lines = Object.entries(properties).map(([name, schema]) =>
    property(name, schema, !required.includes(name), indent),
  );
  return `{\n${lines.join('')}${indent}}`;
}

/** @param {string} name @param {Schema} schema @param {boolean} isOptional @param {string} outer indent */
function property(name, schema, isOptional, outer) {
  const indent = `${outer}  `;
  const key = /^\w+$/.test(name) ? name : literal(name);
  return `${comment(schema, indent)}${indent}${key}${isOptional ? '?' : ''}: ${typeOf(schema, indent)};\n`;
}

/** @param {Schema} schema @param {string} indent */
const comment = ({ description }, indent) => (description ? `${indent}/** ${description} */\n` : '');

if (import.meta.main) {
  const at = (/** @type {string} */ file) => new URL(`../${file}`, import.meta.url);
  for (const [source, file] of Object.entries(WRITTEN))
    writeFileSync(at(file), schemasOf(JSON.parse(readFileSync(at(source), 'utf8')), source));
}
