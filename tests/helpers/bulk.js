'use strict';

const { once } = require('node:events');
const http = require('node:http');

/** A small product with a style and a sku. @param {string} name @returns {any} */
const smallProduct = (name) => ({
  name,
  slogan: '',
  description: '',
  category: 'Shoes',
  default_price: '5',
  features: [],
  related: [],
  styles: {
    new: { name: 'x', original_price: '5', 'default?': true, photos: [], skus: { new: { size: '7', quantity: 2 } } },
  },
});

/** @param {object[]} lines @returns {string} */
const ndjson = (lines) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** @param {string} text @returns {any[]} its whole lines */
const linesIn = (text) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/**
 * Begins a bulk request, of which the caller writes the body.
 * @param {string} url of the writer @param {string} key @param {string} idempotencyKey @param {Record<string, string>} [headers]
 */
function openBulk(url, key, idempotencyKey, headers = {}) {
  const request = http.request(`${url}/bulk`, {
    method: 'POST',
    agent: false,
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/x-ndjson',
      'Idempotency-Key': idempotencyKey,
      ...headers,
    },
  });
  request.on('error', () => {}); // the caller looks at the reply
  const state = { text: '', status: 0, isOver: false };
  const ended = new Promise((resolve) => {
    request.on('close', () => resolve(null));
    request.on('response', (response) => {
      state.status = Number(response.statusCode);
      response.setEncoding('utf8');
      response.on('data', (text) => (state.text += text));
      response.on('error', () => {});
      response.on('close', () => resolve(null));
    });
  });
  return {
    request,
    /** @param {string | Buffer} text */
    async write(text) {
      if (!request.write(text)) await Promise.race([once(request, 'drain').catch(() => {}), ended]);
    },
    /** The lines of the reply so far. */
    lines: () => linesIn(state.text),
    /** Waits for the end of the reply, or of the connection. */
    async over() {
      await ended;
      return { status: state.status, text: state.text, lines: state.status === 200 ? linesIn(state.text) : [] };
    },
  };
}

/** @param {string} url @param {string} key @param {string} idempotencyKey @param {string | object[]} lines */
function sendBulk(url, key, idempotencyKey, lines) {
  const { request, over } = openBulk(url, key, idempotencyKey);
  request.end(typeof lines === 'string' ? lines : ndjson(lines));
  return over();
}

module.exports = { linesIn, ndjson, openBulk, sendBulk, smallProduct };
