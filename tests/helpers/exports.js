'use strict';
const http = require('node:http');
const { text } = require('node:stream/consumers');

const { manyProducts } = require('./database');

/**
 * Begins an export and reads none of it yet.
 * @param {string} url @param {string} query @param {Record<string, string>} [headers]
 * @returns {Promise<{ status: number, headers: http.IncomingHttpHeaders, rest: () => Promise<string>, leave: () => void }>} rest: rejects
 *   when the reply is cut
 */
function beginExport(url, query, headers) {
  return new Promise((resolve, reject) => {
    const call = http.get(`${url}/export?${query}`, { agent: false, headers }, (response) => {
      response.on('error', () => {}); // rest() reports it
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, rest: () => text(response), leave: () => void call.destroy() });
    });
    call.on('error', reject);
  });
}

/** @param {string} body of an export @returns {{ lines: string[], end: Record<string, any> | null }} end: null when it was cut */
function linesOf(body) {
  const lines = body.split('\n').slice(0, -1);
  const last = lines.at(-1) ?? '';
  if (!last.startsWith('{"end":')) return { lines, end: null };
  return { lines: lines.slice(0, -1), end: JSON.parse(last).end };
}

/** More than the kernel buffers between two programs, also compressed: about 1.8 KB a product. @param {number} count */
const longProducts = (count) => `${manyProducts(count)}; UPDATE {schema}.products
  SET description = (SELECT string_agg(md5(id::text || part), '') FROM generate_series(1, 40) AS part)`;

module.exports = { beginExport, linesOf, longProducts };
