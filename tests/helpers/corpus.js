'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const zlib = require('node:zlib');

/**
 * A reply as the corpus keeps it: status and headers in their order, and the body, or the digest of a long one. What changes
 * with the load, the clock or the request is replaced by its meaning in <angle brackets>.
 * @typedef {{ head: string[], body: string }} Reply
 * @typedef {{ status: number, headers: [name: string, value: string][], body: Buffer }} Received
 * @typedef {{ method?: string, path: string, headers?: Record<string, string>, body?: string }} Asked
 * @typedef {(path: string) => Promise<string>} EtagOf the ETag of the plain reply to GET
 */

const clearBytes = 1000;
const moving = /"(created_at|updated_at)":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g;
const version = /"(catalog_version)":"1-\d{16}"/g;
const id = /^[0-9a-f]{32}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };

/** @param {string[]} list names and values in turn @returns {[string, string][]} */
const inPairs = (list) =>
  list.flatMap((name, index) => (index % 2 ? [] : [/** @type {[string, string]} */ ([name, list[index + 1]])]));

/** @param {string} url of the server @param {Asked} asked @returns {Promise<Received>} */
function receive(url, asked) {
  const { method = 'GET', path, headers = {}, body = '' } = asked;
  const secure = url.startsWith('https:');
  const all = { 'X-Request-Id': 'corpus', ...(body && { 'Content-Length': String(body.length) }), ...headers };
  const options = { path, method, headers: all, agent: secure ? agents.https : agents.http, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const call = (secure ? https : http).request(url, options, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, rawHeaders } = response;
        resolve({ status, headers: inPairs(rawHeaders), body: Buffer.concat(chunks) });
      });
    });
    // The server may have closed an idle connection: then the request did not reach it.
    call.on('error', (error) => {
      if (call.reusedSocket && 'code' in error && error.code === 'ECONNRESET') resolve(receive(url, asked));
      else reject(error);
    });
    call.end(body);
  });
}

/** @param {string} text of a whole reply, one character a byte; empty: closed without one @returns {Received} */
function parse(text) {
  if (text === '') return { status: 0, headers: [], body: Buffer.alloc(0) };
  const end = text.indexOf('\r\n\r\n');
  const [first, ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line) => /** @type {[string, string]} */ (line.split(/: (.*)/, 2)));
  return { status: Number(first.split(' ')[1]), headers, body: Buffer.from(text.slice(end + 4), 'latin1') };
}

/** @param {string | Buffer} bytes */
const digestOf = (bytes) => crypto.createHash('sha256').update(bytes).digest('base64url').slice(0, 22);

/** @param {Buffer} body after decompression */
function bodyText(body) {
  const text = body.toString('utf8').replace(moving, '"$1":"<load>"').replace(version, '"$1":"<load>"');
  return text.length <= clearBytes ? text : `${digestOf(text)}, ${body.length} bytes`;
}

/** Title and detail are for people and may change. @param {Buffer} body */
function problemText(body) {
  const problem = JSON.parse(body.toString('utf8'));
  const instance = problem.instance.replace(
    /^urn:request:(.*)$/,
    (/** @type {string} */ whole, /** @type {string} */ own) => (id.test(own) ? 'urn:request:<id>' : whole),
  );
  return `${Object.keys(problem)}: ${problem.type} ${problem.status} ${instance}`;
}

/**
 * @param {Received} received @param {string} path @param {EtagOf} etagOf
 * @returns {Promise<Reply>}
 */
async function kept({ status, headers, body }, path, etagOf) {
  const valueOf = (/** @type {string} */ wanted) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';
  const isProblem = valueOf('content-type') === 'application/problem+json';
  const isPage =
    (/^\/(openapi\.json|llms\.txt)/.test(path) && !isProblem) || valueOf('content-type').startsWith('text/html');
  const gzipped = valueOf('content-encoding') === 'gzip';
  const plain = gzipped && body.length > 0 ? zlib.gunzipSync(body) : body;

  /** @param {string} value */
  async function etag(value) {
    const link = valueOf('link');
    const ofList = `Link: ${link}\r\nX-Total-Count: ${valueOf('x-total-count')}\r\n`;
    const own = link ? Buffer.concat([Buffer.from(`${ofList}\n`), plain]) : plain;
    const [, digest, suffix = ''] = /^"([\w-]{22})(-gzip)?"$/.exec(value) ?? [];
    if (plain.length > 0 && digest === digestOf(own)) return `"<digest>${suffix}"`;
    return plain.length === 0 && `"${digest}"` === (await etagOf(path)) ? `"<as of GET>${suffix}"` : value;
  }

  /** @type {string[]} */
  const head = [status ? `${status}` : 'closed without a reply'];
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if ((isProblem || isPage) && ['content-length', 'etag'].includes(lower)) continue;
    if (lower === 'date') head.push(`${name}: <now>`);
    else if (lower === 'catalog-version') head.push(`${name}: ${value.replace(/^1-\d{16}$/, '<load>')}`);
    else if (lower === 'etag') head.push(`${name}: ${await etag(value)}`);
    else if (lower === 'content-length' && value === `${body.length}`) head.push(`${name}: <of the body>`);
    else if (lower === 'content-length' && gzipped) head.push(`${name}: <compressed>`);
    else if (lower === 'x-request-id' && id.test(value)) head.push(`${name}: <id>`);
    else head.push(`${name}: ${value}`);
  }
  if (body.length === 0) return { head, body: '' };
  return { head, body: isProblem ? problemText(body) : isPage ? '<page>' : bodyText(plain) };
}

/**
 * The file: heads and bodies once each, a line for each reply that names them by their number.
 * @typedef {{ heads: string[][], bodies: string[], replies: Record<string, Record<string, number[]>> }} Packed
 */

/** @param {string} file @returns {(place: string, name: string) => Reply | undefined} what was recorded */
function readCorpus(file) {
  const { heads, bodies, replies } = /** @type {Packed} */ (JSON.parse(fs.readFileSync(file, 'utf8')));
  return (place, name) => {
    const found = replies[place]?.[name];
    return found && { head: heads[found[0]], body: bodies[found[1]] };
  };
}

/** @param {string} file @param {Map<string, Map<string, Reply>>} replies by place and name */
function writeCorpus(file, replies) {
  /** @type {Map<string, number>[]} */
  const [heads, bodies] = [new Map(), new Map()];
  const numberIn = (/** @type {Map<string, number>} */ all, /** @type {unknown} */ one) => {
    const text = JSON.stringify(one);
    return all.get(text) ?? all.set(text, all.size).size - 1;
  };
  const lines = [...replies].map(([place, all]) => {
    const own = [...all].map(
      ([name, { head, body }]) => `${JSON.stringify(name)}: [${numberIn(heads, head)}, ${numberIn(bodies, body)}]`,
    );
    return `${JSON.stringify(place)}: {\n${own.join(',\n')}\n}`;
  });
  const list = (/** @type {Map<string, number>} */ all) => `[\n${[...all.keys()].join(',\n')}\n]`;
  const parts = [`"heads": ${list(heads)}`, `"bodies": ${list(bodies)}`, `"replies": {\n${lines.join(',\n')}\n}`];
  fs.writeFileSync(file, `{\n${parts.join(',\n')}\n}\n`);
}

const closeAgents = () => Object.values(agents).forEach((agent) => agent.destroy());

module.exports = { closeAgents, kept, parse, readCorpus, receive, writeCorpus };
