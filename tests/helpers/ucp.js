'use strict';

const http = require('node:http');

const { Ajv2020 } = require('ajv/dist/2020');
const addFormats = require('ajv-formats').default;

/** @type {any[]} public schemas, licensed as ucp-schemas.LICENSE says */
const schemas = require('./ucp-schemas.json');

const BASE = 'https://ucp.dev/schemas';
const SCHEMAS = {
  profile: `${BASE}/profile.json#/$defs/business_schema`,
  search: `${BASE}/shopping/catalog_search.json#/$defs/search_response`,
  lookup: `${BASE}/shopping/catalog_lookup.json#/$defs/lookup_response`,
  product: `${BASE}/shopping/catalog_lookup.json#/$defs/get_product_response`,
};

const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, schemas }));
const isRefusal = ajv.compile({
  type: 'object',
  required: ['ucp', 'messages'],
  properties: {
    ucp: { $ref: `${BASE}/ucp.json#/$defs/error` },
    messages: { type: 'array', minItems: 1, items: { $ref: `${BASE}/common/types/message_error.json` } },
  },
});

/** @param {keyof typeof SCHEMAS | 'error'} kind @param {unknown} value @returns {string[]} what is wrong with a reply */
function ucpErrors(kind, value) {
  const valid = kind === 'error' ? isRefusal : ajv.getSchema(SCHEMAS[kind]);
  if (!valid) throw new Error(`there is no schema ${kind}`);
  valid(value);
  return (valid.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** @param {'search' | 'lookup' | 'product'} [kind] @returns {any} what a request may have */
const ucpRequest = (kind) => ajv.getSchema(SCHEMAS[kind ?? 'search'].replace('response', 'request'))?.schema ?? {};

/**
 * @param {string} url of a worker or of nginx @param {string} path @param {unknown} content an object, or the text of a body
 * @param {Record<string, string>} [headers]
 * @returns {Promise<{ status: number, headers: http.IncomingHttpHeaders, bytes: Buffer, body: any }>} body: null if it is compressed or empty
 */
function post(url, path, content, headers) {
  return new Promise((resolve, reject) => {
    const call = http.request(`${url}${path}`, { method: 'POST', headers, agent: false }, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const isText = !response.headers['content-encoding'] && bytes.length > 0;
        const body = isText ? JSON.parse(bytes.toString()) : null;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, body });
      });
    });
    call.on('error', reject);
    call.end(typeof content === 'string' ? content : JSON.stringify(content));
  });
}

/** As an agent asks; the reply must fit its schema. @param {string} url @param {'search' | 'lookup' | 'product'} kind @param {object} content */
async function ask(url, kind, content) {
  const { status, body } = await post(url, `/ucp/catalog/${kind}`, content);
  const isError = body.ucp?.status === 'error';
  const errors = ucpErrors(isError ? 'error' : kind, body);
  if (status !== 200 || errors.length > 0)
    throw new Error(`${JSON.stringify(content)}: ${status} ${errors} ${JSON.stringify(body).slice(0, 500)}`);
  return body;
}

module.exports = { ask, post, ucpErrors, ucpRequest };
