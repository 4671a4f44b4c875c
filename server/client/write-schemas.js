/*
 * Writes schemas.d.ts from the OpenAPI document. openapi-typescript would, but it needs TypeScript 5. `npm run format` runs this, and a
 * test compares. It throws at what it does not know, because an unknown type would hide a difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** @typedef {Record<string, any>} Schema */

const HEAD = '// Types of replies and queries. Written from server/openapi.json by `npm run format`.\n';
/** A pattern of names such as `feature.NAME`. */
const PREFIX = /^\^(\w+)\\\./;
const TYPES = /** @type {Record<string, string>} */ ({ integer: 'number', null: 'null' });

/** @param {any} document OpenAPI 3.1 @returns {string} TypeScript: each schema, and the query of each operation */
export function schemasOf(document) {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema, '')}export type ${name} = ${typeOf(schema, '')};\n`,
  );
  const queries = Object.values(document.paths).flatMap(({ get }) => {
    const all = get.parameters.map((/** @type {Schema} */ one) => resolve(document, one));
    const lines = all.flatMap((/** @type {Schema} */ { in: place, name, description, schema }) =>
      place === 'query' ? property(name, { description, ...schema }, true, '') : [],
    );
    const name = get.operationId[0].toUpperCase() + get.operationId.slice(1);
    return lines.length > 0 ? `export type ${name}Query = {\n${lines.join('')}};\n` : [];
  });
  return [HEAD, ...schemas, ...queries].join('\n');
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
  if (schema.anyOf) return schema.anyOf.map((/** @type {Schema} */ each) => typeOf(each, indent)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  if (schema.type === 'array') return arrayOf(typeOf(schema.items, indent));
  if (schema.type === 'object') return objectOf(schema, indent);
  if (PREFIX.test(schema.pattern)) return `\`${PREFIX.exec(schema.pattern)?.[1]}.\${string}\``;
  if (['string', 'integer', 'boolean', 'null'].includes(schema.type)) return TYPES[schema.type] ?? schema.type;
  throw new Error(`server/client/write-schemas.js knows no type for ${JSON.stringify(schema)}: add it`);
}

/** @param {string} text */
const literal = (text) => `'${text}'`;

/** @param {string} type */
const arrayOf = (type) => (type.includes(' | ') ? `(${type})[]` : `${type}[]`);

/** @param {Schema} schema @param {string} indent */
function objectOf({ properties, required = [], additionalProperties }, indent) {
  if (!properties) return `Record<string, ${typeOf(additionalProperties, indent)}>`;
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
  const text = schemasOf(JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')));
  writeFileSync(new URL('./schemas.d.ts', import.meta.url), text);
}
