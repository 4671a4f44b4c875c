'use strict';
const { createServer } = require('node:http');
const { text } = require('node:stream/consumers');
const { Webhook } = require('standardwebhooks');

/*
 * Receives a webhook of the writer and purges a CDN, by Fastly's form. An example to run beside a CDN: HOOK_SECRET, PURGE_URL (such as
 * https://api.fastly.com/service/ID/purge), PURGE_TOKEN and PORT are its environment.
 */

const { HOOK_SECRET = '', PURGE_URL = '', PURGE_TOKEN = '', PORT } = process.env;
/** The first refill may come from nginx's copy. Lists of nginx are old for up to 3.5 s. */
const againMs = 4000;
const webhook = new Webhook(HOOK_SECRET);

/** @param {string[]} keys */
async function purge(keys) {
  const headers = { 'Fastly-Key': PURGE_TOKEN, 'Surrogate-Key': keys.join(' ') };
  const { status } = await fetch(PURGE_URL, { method: 'POST', headers });
  if (status >= 300) throw new Error(`the CDN answered ${status}`);
}

createServer(async (req, res) => {
  try {
    const headers = /** @type {Record<string, string>} */ (req.headers);
    const { changes } = /** @type {any} */ (webhook.verify(await text(req), headers));
    const products = changes.map((/** @type {any} */ { product }) => (product ? `product-${product}` : 'catalog'));
    const keys = [...new Set([...products, 'list', 'search'])];
    await purge(keys);
    setTimeout(() => purge(keys).catch(console.error), againMs);
    res.writeHead(204).end();
  } catch (error) {
    res.writeHead(500).end(String(error)); // the writer sends it again
  }
}).listen(Number(PORT));
