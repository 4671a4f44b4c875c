'use strict';
const http = require('node:http');

const products = Array.from({ length: 30 }, (_, n) => ({
  id: 2 * n + 1,
  campus: 'c',
  name: 'n',
  slogan: 's',
  description: 'd',
  category: 'k',
  default_price: '1.00',
  created_at: '',
  updated_at: '',
}));

const offer = {
  price: '1.00',
  max_price: '1.00',
  original_price: '1.00',
  on_sale: false,
  in_stock: true,
  sizes: [],
  styles: 0,
  thumbnail_url: null,
};
const card = { id: 2, name: 'n', slogan: 's', category: 'k', default_price: '1.00', offer };

/** @param {URL} url */
function answerOf({ pathname, searchParams }) {
  const [, , id, tail] = pathname.split('/');
  const ids = searchParams.get('ids')?.split(',').map(Number);
  if (ids) return { route: 'batch', body: ids.map((each) => ({ ...products.find((one) => one.id === each), offer })) };
  if (id === undefined) {
    const [page, count, after] = ['page', 'count', 'after'].map((name) => Number(searchParams.get(name)));
    const from = after ? products.filter((one) => one.id <= after).length : (page - 1) * count;
    return { route: 'products', count, body: products.slice(from, from + count) };
  }
  const product = products.find((one) => one.id === Number(id));
  if (tail === 'styles') return { route: 'styles', body: { product_id: id, results: [] } };
  if (tail === 'related') return { route: 'related', body: [1] };
  const alone = { ...product, features: [] };
  if (searchParams.has('include')) return { route: 'included', body: { ...alone, offer, styles: [], related: [card] } };
  return { route: 'product', body: alone };
}

/**
 * A fake service with correct routes, each of which a test can spoil. Pages of another length than five belong to k6's setup.
 * @param {Record<string, (response: http.ServerResponse, body: any) => unknown>} spoilers
 */
async function startStandIn(spoilers) {
  /** @type {{ route: string, place: number }[]} `place`: the id of a product, the page of a list; -1 for those of the setup */
  const asked = [];
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const { route, body, count = 5 } = answerOf(url);
    const place = Number(url.searchParams.get('page') ?? url.pathname.split('/')[2]);
    asked.push({ route, place: count === 5 ? place : -1 });
    const spoil = count === 5 ? spoilers[route] : undefined;
    if (spoil) spoil(response, body);
    else response.end(JSON.stringify(body));
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, asked, close: () => server.close().closeAllConnections() };
}

module.exports = { products, startStandIn };
