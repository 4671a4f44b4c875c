'use strict';

const { shown } = require('../../core/refusals');
const { isObject, jsonIn } = require('./ucp-bodies');

/** The revision of the Model Context Protocol (modelcontextprotocol.io) without a handshake: each request names its version. */
const MODERN = '2026-07-28';
/** Revisions that begin with `initialize`, newest first. */
const LEGACY = Object.freeze(['2025-11-25', '2025-06-18', '2025-03-26']);
const VERSIONS = Object.freeze([MODERN, ...LEGACY]);
/** The version of a request that names none, and the only one with batches. */
const OLDEST = '2025-03-26';
/** Each message may be a search. */
const MAX_BATCH = 10;
const META = '_meta';
/** Names that MCP reserves there begin with it. */
const RESERVED = 'io.modelcontextprotocol/';

const CODES = Object.freeze({
  notJson: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  internal: -32603,
  unavailable: -32000, // by UCP
});

/** A JSON-RPC error. */
class RpcError extends Error {
  /** @param {keyof typeof CODES} kind @param {string} message @param {{ status?: number, data?: object }} [more] status of HTTP */
  constructor(kind, message, { status = 200, data } = {}) {
    super(message);
    this.code = CODES[kind];
    this.status = status;
    this.data = data;
  }
}

/** @param {string} message */
const invalidRequest = (message) => new RpcError('invalidRequest', message, { status: 400 });

/** @typedef {import('node:http').IncomingHttpHeaders} Headers */
/** @typedef {{ id: string | number | undefined, method: string, params: any, isModern: boolean }} Message id: undefined of a notification */

/**
 * @param {Buffer | undefined} bytes @param {Headers} headers
 * @returns {{ messages: unknown[], isBatch: boolean }}
 * @throws {RpcError}
 */
function messagesIn(bytes, headers) {
  let body;
  try {
    body = jsonIn(bytes);
  } catch {
    throw new RpcError('notJson', 'The body is not JSON in UTF-8. Send a JSON-RPC request.', { status: 400 });
  }
  if (!Array.isArray(body)) return { messages: [body], isBatch: false };
  const version = headers['mcp-protocol-version'] ?? OLDEST;
  if (version !== OLDEST)
    throw invalidRequest(`MCP ${shown(String(version))} has no batches. Send each message in a request of its own.`);
  if (body.length === 0 || body.length > MAX_BATCH)
    throw invalidRequest(`A batch may have 1 to ${MAX_BATCH} messages, and has ${body.length}.`);
  if (body.some((one) => one?.method === 'initialize'))
    throw invalidRequest('initialize may not be in a batch. Send it alone.');
  return { messages: body, isBatch: true };
}

/** The id that a reply repeats, also where the rest of a message is wrong. @param {any} message @returns {string | number | undefined} */
function idOf(message) {
  const id = message?.id;
  return typeof id === 'string' || Number.isSafeInteger(id) ? id : undefined;
}

/** @param {any} message @param {Headers} headers @returns {Message} @throws {RpcError} */
function messageIn(message, headers) {
  if (!isObject(message) || message.jsonrpc !== '2.0')
    throw invalidRequest('A message must be an object with "jsonrpc": "2.0".');
  const { method, params = {} } = message;
  if (typeof method !== 'string')
    throw invalidRequest('The message has no method. This service asks nothing, so it takes no replies.');
  const id = idOf(message);
  if ('id' in message && id === undefined) throw invalidRequest('id must be a string or a whole number.');
  if (!isObject(params)) throw new RpcError('invalidParams', 'params must be an object.', { status: 400 });
  return { id, method, params, isModern: isModern({ id, method, params }, headers) };
}

/**
 * A message is of the revision without a handshake when it names that. Headers then say the same as the body, so that proxies may trust them.
 * @param {Omit<Message, 'isModern'>} message @param {Headers} headers @throws {RpcError}
 */
function isModern({ id, method, params }, headers) {
  const meta = isObject(params[META]) ? params[META] : {};
  const named = meta[`${RESERVED}protocolVersion`];
  const header = headers['mcp-protocol-version'];
  for (const requested of [header, named])
    if (requested !== undefined && !VERSIONS.includes(requested))
      throw new RpcError('unsupportedVersion', `Unsupported protocol version ${shown(JSON.stringify(requested))}`, {
        status: 400,
        data: { supported: VERSIONS, requested: String(requested) },
      });
  if ((named ?? header) !== MODERN && header !== MODERN) return false;
  if (id === undefined) return true;
  for (const name of ['protocolVersion', 'clientCapabilities'])
    if (meta[RESERVED + name] === undefined)
      throw new RpcError('invalidParams', `params.${META} lacks ${RESERVED}${name}.`, { status: 400 });
  requireHeader(headers, 'MCP-Protocol-Version', named);
  requireHeader(headers, 'Mcp-Method', method);
  if (method === 'tools/call') requireHeader(headers, 'Mcp-Name', params.name);
  return true;
}

/** @param {Headers} headers @param {string} name @param {unknown} value of the body @throws {RpcError} */
function requireHeader(headers, name, value) {
  const given = headers[name.toLowerCase()];
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(String(given)) ?? [];
  const header = encoded === undefined ? given : Buffer.from(encoded, 'base64').toString();
  if (header === value) return;
  const said = given === undefined ? 'is missing' : `is ${shown(String(given))}`;
  throw new RpcError('headerMismatch', `The header ${name} ${said}, and the body has ${shown(String(value))}.`, {
    status: 400,
  });
}

exports.LEGACY = LEGACY;
exports.RESERVED = RESERVED;
exports.VERSIONS = VERSIONS;
exports.RpcError = RpcError;
exports.idOf = idOf;
exports.messageIn = messageIn;
exports.messagesIn = messagesIn;
