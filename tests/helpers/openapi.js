'use strict';

const { Ajv2020 } = require('ajv/dist/2020');
const addFormats = require('ajv-formats').default;

const { isPostRoute } = require('../../server/core/policy');
/** @type {any} */
const document = require('../../server/openapi.json');

/** @typedef {import('node:http').IncomingHttpHeaders} Headers */
/** @typedef {{ status: number, headers: Headers, text?: string }} Response of supertest */

/** Reads replies by a document. @param {any} described an OpenAPI document */
function readerOf(described) {
  const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, formats: { text: true } }));
  ajv.addSchema(described, 'openapi');

  /** @param {any} part @returns {any} */
  const resolve = (part) =>
    part?.$ref
      ? part.$ref
          .slice(2)
          .split('/')
          .reduce((/** @type {any} */ at, /** @type {string} */ key) => at[key], described)
      : part;

  /** @param {any} schema */
  const compile = (schema) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')));

  /** @param {any} schema of the document @param {unknown} value @returns {string[]} what is wrong with the value */
  function schemaErrors(schema, value) {
    const valid = compile(schema);
    valid(value);
    return (valid.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  }

  /** @param {Record<string, any>} wanted @param {Headers} actual */
  const headerDifferences = (wanted, actual) =>
    Object.entries(wanted).flatMap(([name, reference]) => {
      const { required, schema } = resolve(reference);
      const value = actual[name.toLowerCase()];
      if (value === undefined) return required ? [`${name} is missing`] : [];
      return compile(schema)(value) ? [] : [`${name}: ${value}`];
    });

  /**
   * @param {any} wanted the description of this response @param {string} method @param {Response} response
   * @returns {string[]} everything that differs
   */
  function differencesFrom(wanted, method, { headers, text }) {
    const found = headerDifferences(wanted.headers ?? {}, headers);
    const types = Object.keys(wanted.content ?? {});
    if (method === 'HEAD' || types.length === 0) return text ? [...found, 'has a body'] : found;
    const type = (headers['content-type'] ?? '').split(';')[0];
    if (!types.includes(type)) return [...found, `type ${type} is not documented`];
    return [
      ...found,
      ...schemaErrors(wanted.content[type].schema, /[/+]json$/.test(type) ? JSON.parse(text ?? '') : text),
    ];
  }

  return { resolve, schemaErrors, differencesFrom };
}

const { resolve, schemaErrors, differencesFrom } = readerOf(document);

/*
 * Replies that the document leaves out, since a client needs no code for them: the preflight, other methods, the pages about the API. They are
 * compared with what it says of the rest.
 */
const { responses } = document.components;
const allow = { required: true, schema: { const: 'GET, HEAD, OPTIONS' } };
const { headers: commonHeaders } = responses.InternalError;
const preflight = { headers: { ...commonHeaders, 'X-Request-Id': { schema: {} }, Allow: allow } };
const notAllowed = { ...responses.InternalError, headers: { ...commonHeaders, Allow: allow } };
const [preflightPost, notAllowedPost] = [preflight, notAllowed].map(({ headers, ...more }) => ({
  ...more,
  headers: { ...headers, Allow: { required: true, schema: { const: 'POST, OPTIONS' } } },
}));
const pagePath = /^\/((openapi\.json|docs(\/[^/]+)?|(browser\/(shop|shared)|client)\/[^/]+)\/?)?$/;
const related = document.paths['/products/{product_id}/related'].get.responses;
const pageTypes = ['application/json', 'text/html', 'text/javascript', 'text/css'];
const pageResponses = {
  ...related,
  200: { headers: related[200].headers, content: Object.fromEntries(pageTypes.map((type) => [type, { schema: {} }])) },
};

/** @param {string} path @returns {string | undefined} the path of the document that a request meets */
const templateOf = (path) =>
  Object.keys(document.paths)
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .find((template) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`).test(path));

/**
 * @param {string} method @param {string} path without its query @param {number} status
 * @returns {any} the description of this response; undefined if there is none
 */
function described(method, path, status) {
  const isPost = isPostRoute(path);
  if (status === 405) return isPost ? notAllowedPost : notAllowed;
  if (method === 'OPTIONS' && status === 204) return isPost ? preflightPost : preflight;
  if (pagePath.test(path)) return resolve(pageResponses[status]);
  const template = templateOf(path);
  if (!template) return responses.NotFound;
  const { get, post } = document.paths[template];
  return resolve((get ?? post).responses[status]);
}

/**
 * Compares a response with the document.
 * @param {string} method @param {string} path @param {Response} response
 * @returns {string[]} everything that differs
 */
function differences(method, path, response) {
  const wanted = described(method, path.split('?')[0], response.status);
  if (!wanted) return [`${method} ${path}: ${response.status} is not documented`];
  return differencesFrom(wanted, method, response);
}

module.exports = { document, differences, readerOf, resolve, schemaErrors };
