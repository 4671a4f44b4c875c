'use strict';

const { version } = require('../../../package.json');
const { Problem } = require('../../core/errors');
const { shown } = require('../../core/refusals');
const { LEGACY, RESERVED, RpcError, VERSIONS, idOf, messageIn, messagesIn } = require('../params/mcp-messages');
const { noParams } = require('../params/search-params');
const { isObject } = require('../params/ucp-bodies');
const { TOOLS } = require('../params/ucp-tools');
const { refusal } = require('./agents');

/** @typedef {import('../../catalog/ucp').Ucp} Ucp @typedef {import('../replies/json-answer').Answer} Answer */

const SERVER = Object.freeze({ name: 'product-catalog', version });
const CAPABILITIES = Object.freeze({ tools: {} });
/** How long a client may keep the list of tools. */
const KEPT = Object.freeze({ ttlMs: 3_600_000, cacheScope: 'public' });
const LIST = Object.entries(TOOLS).map(([name, { title, description, inputSchema }]) => ({
  name,
  title,
  description,
  inputSchema,
  annotations: { readOnlyHint: true, openWorldHint: false },
}));

/** @param {any} params */
function listTools({ cursor }) {
  if (cursor !== undefined) throw new RpcError('invalidParams', 'The tools are one page: give no cursor.');
  return { tools: LIST };
}

/** A reply of UCP in the envelope of MCP. What is wrong with the arguments is an error, with that reply as its data. @param {any} params @param {Ucp} ucp */
async function callTool({ name, arguments: given }, ucp) {
  if (!Object.hasOwn(TOOLS, name)) {
    const names = Object.keys(TOOLS).join(', ');
    throw new RpcError('invalidParams', `There is no tool ${shown(String(name))}, only ${names}.`);
  }
  if (!isObject(given?.catalog))
    throw new RpcError('invalidParams', 'arguments.catalog must be an object, such as {"query": "jacket"}.');
  let value;
  try {
    value = await TOOLS[/** @type {keyof typeof TOOLS} */ (name)].ask(ucp, given.catalog);
  } catch (error) {
    const { value: data } = refusal(error, ucp.profile.ucp.version);
    throw new RpcError('invalidParams', data.messages[0].content, { data });
  }
  return { structuredContent: value, content: [{ type: 'text', text: JSON.stringify(value) }] };
}

/** @typedef {(params: any, ucp: Ucp) => object | Promise<object>} Method */
/** @type {Record<string, Method>} of revisions with a handshake */
const LEGACY_METHODS = {
  initialize: ({ protocolVersion: asked }, { instructions }) => ({
    protocolVersion: LEGACY.includes(asked) ? asked : LEGACY[0],
    capabilities: CAPABILITIES,
    serverInfo: SERVER,
    instructions,
  }),
  ping: () => ({}),
  'tools/list': listTools,
  'tools/call': callTool,
};
/** @type {Record<string, Method>} */
const MODERN_METHODS = {
  'server/discover': (_, { instructions }) => ({
    supportedVersions: VERSIONS,
    capabilities: CAPABILITIES,
    instructions,
    ...KEPT,
  }),
  'tools/list': (params) => ({ ...listTools(params), ...KEPT }),
  'tools/call': callTool,
};

/** @param {import('../params/mcp-messages').Message} message @param {Ucp} ucp @returns {Promise<object>} */
async function resultOf({ method, params, isModern }, ucp) {
  const methods = isModern ? MODERN_METHODS : LEGACY_METHODS;
  if (!Object.hasOwn(methods, method))
    throw new RpcError('unknownMethod', `There is no method ${shown(method)}.`, { status: isModern ? 404 : 200 });
  const result = await methods[method](params, ucp);
  return isModern ? { resultType: 'complete', ...result, _meta: { [`${RESERVED}serverInfo`]: SERVER } } : result;
}

/** @param {RpcError} error @param {string | number} [id] @returns {Answer} */
const errorAnswer = ({ status, code, message, data }, id) => ({
  status,
  value: { jsonrpc: '2.0', ...(id !== undefined && { id }), error: { code, message, ...(data && { data }) } },
});

/** A problem of the service, which is a JSON-RPC error as well. @param {Problem} problem @param {string | number} [id] */
function problemWith({ kind, status, message, headers }, id) {
  const wait = headers['Retry-After'];
  const data = wait ? { retry_after: Number(wait) } : undefined;
  const { value } = errorAnswer(new RpcError(status === 503 ? 'unavailable' : 'internal', message, { data }), id);
  return new Problem(kind, message, { headers, members: value });
}

/** @param {unknown} message @param {import('node:http').IncomingHttpHeaders} headers @param {Ucp} ucp @returns {Promise<Answer>} without a value: nothing to say */
async function answerTo(message, headers, ucp) {
  const id = idOf(message);
  try {
    const asked = messageIn(message, headers);
    if (asked.id === undefined) return { status: 202 };
    return { status: 200, value: { jsonrpc: '2.0', id, result: await resultOf(asked, ucp) } };
  } catch (error) {
    if (error instanceof RpcError) return errorAnswer(error, id);
    throw error instanceof Problem ? problemWith(error, id) : error;
  }
}

/** @param {import('express').Request & { body?: Buffer }} req @param {string} origin of pages that may read @param {Ucp} ucp @returns {Promise<Answer>} */
async function answerAll({ headers, body }, origin, ucp) {
  if (origin !== '*' && headers.origin !== undefined && headers.origin !== origin)
    return errorAnswer(
      new RpcError('invalidRequest', `Pages of ${shown(headers.origin)} may not ask this service.`, { status: 403 }),
    );
  const { messages, isBatch } = messagesIn(body, headers);
  if (!isBatch) return answerTo(messages[0], headers, ucp);
  const values = [];
  for (const message of messages) {
    const { value } = await answerTo(message, headers, ucp);
    if (value) values.push(value);
  }
  return values.length > 0 ? { status: 200, value: values } : { status: 202 };
}

/**
 * POST /ucp/mcp
 * @param {import('../../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
const mcp =
  ({ catalog, answer, origin }) =>
  async (req, res) => {
    const { ucp } = catalog.forShop;
    noParams(req.url);
    await answer('mcp', req, res, async () => {
      try {
        return await answerAll(req, origin, ucp);
      } catch (error) {
        if (error instanceof RpcError) return errorAnswer(error);
        throw error;
      }
    });
  };

exports.mcp = mcp;
