import { ask, askHead, askWith } from './checks.js';
import { drawLast, drawPage, drawProduct } from './ids.js';
import { noteLateness } from './lateness.js';
import { drawSku } from './skus.js';
import { drawCategory, drawWord } from './terms.js';

/** @typedef {import('./ids.js').Catalog} Catalog */

/** Rows of a page: the service's default. scripts/k6/content.js has digests of pages of this size. */
const count = 5;

/** @param {Catalog} catalog */
export function products(catalog) {
  noteLateness();
  const { page, digest } = drawPage(catalog, count);
  ask(`/products?page=${page}&count=${count}`, 'products', {
    page,
    digest,
    count: Math.min(count, catalog.rows),
    leastId: (page - 1) * count + 1, // ids ascend from 1, so the page of an earlier place has a smaller one
  });
}

/** The routes of one product. @param {string} route @param {string} tail of the path */
const byId = (route, tail) => (/** @type {Catalog} */ catalog) => {
  noteLateness();
  const wanted = drawProduct(catalog, route);
  ask(`/products/${wanted.id}${tail}`, route, wanted);
};

/** Products of a batch: a page of a storefront's list. */
const batchSize = 24;

/** @param {Catalog} catalog */
export function batch(catalog) {
  noteLateness();
  const ids = Array.from({ length: batchSize }, () => drawProduct(catalog, 'product').id);
  ask(`/products?ids=${ids.join('%2C')}&include=offer`, 'batch', { ids });
}

export const product = byId('product', '');
export const styles = byId('styles', '/styles');
export const related = byId('related', '/related');

/** A product's whole page. No digest is known of it, so its body is checked by its shape. @param {Catalog} catalog */
export function included(catalog) {
  noteLateness();
  const { id } = drawProduct(catalog, 'product');
  ask(`/products/${id}?include=offer%2Cstyles%2Crelated`, 'included', { id });
}

/** Skus of a cart. */
const cartSize = 10;

/** @param {Catalog} catalog */
export function sku(catalog) {
  noteLateness();
  const id = drawSku(catalog);
  ask(`/skus/${id}`, 'sku', { id });
}

/** @param {Catalog} catalog */
export function skus(catalog) {
  noteLateness();
  const ids = Array.from({ length: cartSize }, () => drawSku(catalog));
  ask(`/skus?ids=${ids.join('%2C')}`, 'skus', { ids });
}

/** Products of a page of a search: the service's default. */
const cards = 24;

/** One of the first pages of a word, in half of the searches of a category, with the facets of a shop's list. @param {Catalog} catalog */
export function search(catalog) {
  noteLateness();
  const [q, category] = [drawWord(catalog), Math.random() < 0.5 ? drawCategory(catalog) : undefined];
  const page = 1 + Math.floor(Math.random() * 3);
  const filter = category === undefined ? '' : `&category=${encodeURIComponent(category)}`;
  const facets = 'facets=category%2Cprice%2Csize%2Con_sale%2Cin_stock';
  const path = `/search?q=${encodeURIComponent(q)}${filter}&count=${cards}&page=${page}&${facets}`;
  ask(path, 'search', { q, category, page, count: cards });
}

/** The first two to four letters of a word. @param {Catalog} catalog */
export function suggest(catalog) {
  noteLateness();
  const q = Array.from(drawWord(catalog)).slice(0, 2 + Math.floor(Math.random() * 3)).join(''); // prettier-ignore
  ask(`/suggest?q=${encodeURIComponent(q)}`, 'suggest', { q });
}

/** @param {Catalog} catalog */
export function menu({ rows }) {
  noteLateness();
  ask('/catalog', 'catalog', { rows });
}

/** The last products only: a whole export takes a second for each 50,000. @param {Catalog} catalog */
export function exported(catalog) {
  noteLateness();
  const after = drawLast(catalog);
  ask(`/export?view=card&after=${after}`, 'export', { after });
}

/** The list of sitemaps. A service without a shop has none, and says so. @param {Catalog} catalog */
export function sitemap({ hasShop }) {
  noteLateness();
  ask('/sitemap.xml', 'sitemap', { status: hasShop ? 200 : 404 });
}

const feeds = [
  { path: '/feeds/google.tsv', type: 'text/tab-separated-values' },
  { path: '/feeds/openai.jsonl', type: 'application/x-ndjson' },
];

/** The head of a feed: the rest is as long as the catalog. @param {Catalog} catalog */
export function feed({ hasShop }) {
  noteLateness();
  const { path, type } = feeds[Math.floor(Math.random() * feeds.length)];
  askHead(path, 'feed', hasShop ? { type } : { type: 'application/problem+json', status: 404 });
}

/** Tools of MCP, by the paths of UCP. */
const tools = { search: 'search_catalog', lookup: 'lookup_catalog', product: 'get_product' };

/** A question of an agent: the first products of a word, a cart of products, or all variants of one. @param {Catalog} catalog */
function question(catalog) {
  const status = catalog.hasShop ? 200 : 404;
  const [kind] = Object.keys(tools).sort(() => Math.random() - 0.5);
  const { id } = drawProduct(catalog, 'product');
  const ids = Array.from({ length: cartSize }, () => drawProduct(catalog, 'product').id);
  const contents = {
    search: { query: drawWord(catalog), pagination: { limit: cards } },
    lookup: { ids: ids.map((one) => `product-${one}`) },
    product: { id: `product-${id}`, selected: [] },
  };
  return { content: contents[kind], wanted: { kind, id, ids, count: cards, status } };
}

/** @param {Catalog} catalog */
export function ucp(catalog) {
  noteLateness();
  const { content, wanted } = question(catalog);
  askWith(`/ucp/catalog/${wanted.kind}`, 'ucp', wanted, content);
}

/** @param {Catalog} catalog */
export function mcp(catalog) {
  noteLateness();
  const { content, wanted } = question(catalog);
  const params = { name: tools[wanted.kind], arguments: { catalog: content } };
  askWith('/ucp/mcp', 'mcp', wanted, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

/** Requests of a storefront's page: 4 products, 1 list, 1 styles, 1 related. */
const shares = [product, product, product, product, products, styles, related];

/** @param {Catalog} catalog */
export const mix = (catalog) => shares[Math.floor(Math.random() * shares.length)](catalog);

/** Those of the Atelier API, named as in the service's metrics (the label `route`). */
export const routeNames = ['products', 'product', 'styles', 'related'];

/** Those beyond it, named likewise: the database has no digests of their bodies. */
export const moreNames = ['batch', 'included', 'sku', 'skus', 'search', 'suggest', 'catalog', 'export', 'sitemap', 'feed', 'ucp', 'mcp']; // prettier-ignore

/** @param {string} route @returns {number} its part of the mix */
export const shareOf = (route) => (route === 'product' ? 4 / 7 : 1 / 7);

/** @param {string} text names by comma; `list` is an older name of `products` */
export const routesOf = (text) => text.split(',').map((name) => (name === 'list' ? 'products' : name));
