'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { createRandom } = require('../../generate/random');
const { oddHeaders, pipelined, request } = require('./framing');
const { smuggling } = require('./smuggling');

/** @typedef {import('./framing').Case} Case */

/** @param {string} name of a file beside this one, one entry a line */
const lines = (name) => fs.readFileSync(path.join(__dirname, name), 'utf8').trimEnd().split('\n');

const ids = lines('ids.txt');
const words = (/** @type {string} */ text) => text.split(' ');
const names = words('page count after PAGE page[] page[$gt] count[0] __proto__ %70age x');
const tails = words('/ /styles /styles/ /related // /styles/1 /.. /. ? # ?#');
const methods = words('POST PUT PATCH DELETE OPTIONS HEAD TRACE CONNECT PROPFIND PURGE get G\tT FOO');
const routes = words('/products /products/1 /products/1/styles /docs /openapi.json * /nowhere');

/** @returns {Case[]} each id on each route, each value of each parameter, each method, each header that is too much */
function systematic() {
  const at = (/** @type {string} */ kind, /** @type {string} */ target) => ({
    kind,
    bytes: request(target),
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
    routes.map((target) => ({
      kind: 'method',
      bytes: request(target, { method }),
      complete: true,
    })),
  );
  const odd = lines('paths.txt').map((target) => at('odd path', target));
  const closed = lines('closed-paths.txt').map((target) => ({ ...at('closed path', target), status: 404 }));
  return [...onRoutes, ...parameters, ...byMethod, ...odd, ...closed, ...oddHeaders(), ...pipelined()];
}

/**
 * Random ones: sound requests with bytes changed, random characters in the path, requests that stop in the middle.
 * @param {(below: number) => number} draw @param {number} count @returns {Case[]}
 */
function mutated(draw, count) {
  const seeds = systematic();
  return Array.from({ length: count }, (_, index) => {
    if (index % 3 === 0) {
      const text = Array.from({ length: 1 + draw(30) }, () => String.fromCodePoint(draw(0xd800))).join('');
      const where = ['/products/', '/products?page=', '/products?count=1&', '/'][draw(4)];
      const bytes = request(where + encodeURIComponent(text));
      return { kind: 'random text', bytes, complete: true };
    }
    const bytes = Buffer.from(seeds[draw(seeds.length)].bytes);
    if (index % 3 === 1) return { kind: 'half a request', bytes: bytes.subarray(0, draw(bytes.length)), cut: true };
    for (let round = 0; round <= draw(4); round += 1) bytes[draw(bytes.length)] = draw(256);
    return { kind: 'changed bytes', bytes };
  });
}

/**
 * @param {{ seed: number, count: number }} options at least that many
 * @returns {Case[]}
 */
function corpus({ seed, count }) {
  const fixed = [...systematic(), ...smuggling()];
  return [...fixed, ...mutated(createRandom(seed), Math.max(0, count - fixed.length))];
}

module.exports = { corpus };
