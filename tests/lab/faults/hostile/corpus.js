'use strict';
const { createRandom } = require('../../../../scripts/generate/random');
const { smuggling } = require('./smuggling');
const { closedPaths, headers: oddHeaders, ids, methods, names, oddPaths, routes, tails } = require('./targets.json');

/**
 * @typedef {object} Case
 * @property {string} kind
 * @property {Buffer} bytes
 * @property {boolean} [cut] the client leaves in the middle
 * @property {boolean} [complete] a silent server waits for nothing of ours
 * @property {number} [status] the only correct one
 * @property {number} [replies] the correct number, where it is known
 */

/** @param {string} target @param {{ method?: string, headers?: string[], body?: string }} [rest] */
const request = (target, { method = 'GET', headers = [], body = '' } = {}) =>
  Buffer.from(
    [`${method} ${target} HTTP/1.1`, 'Host: catalog', 'Connection: close', ...headers, '', body].join('\r\n'),
    'utf8',
  );

const longHeaders = [
  [`X-Long: ${'x'.repeat(6900)}`],
  [`X-Long: ${'x'.repeat(20_000)}`],
  Array.from({ length: 500 }, (_, index) => `X-${index}: 1`),
  [`If-None-Match: ${'"a",'.repeat(1500)}`],
  [`Cookie: ${'a=b;'.repeat(1000)}`],
];

/** Many requests in one packet, valid and invalid ones. @param {number} count @returns {Case} */
const pipelined = (count) => ({
  kind: 'pipeline',
  complete: true,
  replies: count + 1,
  bytes: Buffer.from(
    'GET /products/1 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count) +
      'GET /products/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  ),
});

/** @returns {Case[]} each id on each route, each value of each parameter, each method, each odd header */
function systematic() {
  const at = (/** @type {string} */ kind, /** @type {string} */ target, method = 'GET') => ({
    kind,
    bytes: request(target, { method }),
    complete: true,
  });
  const onRoutes = ids.flatMap((id) => ['', ...tails].map((tail) => at('id', `/products/${id}${tail}`)));
  const parameters = names.flatMap((name) =>
    ['', 'a'.repeat(2000), ...ids].flatMap((value) => [
      at('parameter', `/products?${name}=${value}`),
      at('repeated', `/products?${name}=1&${name}=${value}`),
      at('parameter', `/products/1?${name}=${value}`),
    ]),
  );
  const byMethod = [...methods, '', 'A'.repeat(300)].flatMap((method) =>
    routes.map((target) => at('method', target, method)),
  );
  const odd = oddPaths.map((target) => at('odd path', target));
  const closed = closedPaths.map((target) => ({ ...at('closed path', target), status: 404 }));
  const byHeaders = [...longHeaders, ...oddHeaders].map((headers) => ({
    kind: 'header',
    bytes: request('/products/1', { headers, body: 'a' }),
  }));
  return [...onRoutes, ...parameters, ...byMethod, ...odd, ...closed, ...byHeaders, ...[20, 200].map(pipelined)];
}

/**
 * Random ones: valid requests with bytes changed, random characters in the path, requests that stop in the middle.
 * @param {(below: number) => number} draw @param {number} count @returns {Case[]}
 */
function mutated(draw, count) {
  const seeds = systematic();
  return Array.from({ length: count }, (_, index) => {
    if (index % 3 === 0) {
      const text = Array.from({ length: 1 + draw(30) }, () => String.fromCodePoint(draw(0xd800))).join('');
      const where = ['/products/', '/products?page=', '/products?count=1&', '/'][draw(4)];
      return { kind: 'random text', bytes: request(where + encodeURIComponent(text)), complete: true };
    }
    const bytes = Buffer.from(seeds[draw(seeds.length)].bytes);
    if (index % 3 === 1) return { kind: 'half a request', bytes: bytes.subarray(0, draw(bytes.length)), cut: true };
    for (let round = 0; round <= draw(4); round += 1) bytes[draw(bytes.length)] = draw(256);
    return { kind: 'changed bytes', bytes };
  });
}

/** @param {{ seed: number, count: number }} options at least that many @returns {Case[]} */
function corpus({ seed, count }) {
  const fixed = [...systematic(), ...smuggling()];
  return [...fixed, ...mutated(createRandom(seed), Math.max(0, count - fixed.length))];
}

module.exports = { corpus };
