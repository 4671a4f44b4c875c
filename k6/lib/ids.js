import { SharedArray } from 'k6/data';
import { readShop } from './shop.js';
import { needsSkus, readSkus } from './skus.js';
import { getAll } from './target.js';
import { needsTerms, readTerms } from './terms.js';
import { readWorkers } from './workers.js';

/** Pages that are read before the traffic, and rows of each: 100,000 ids of a million, in about two seconds. */
const windows = 1000;
const windowRows = 100;

/** Requests at the same time while reading: enough to be quick, too few to trouble a small server. */
const batchSize = 10;

/** One draw in ten is from the last tenth, where a server that counts rows to find a page is slowest. */
const lastTenth = 0.9;

/** @param {number} page @param {number} count */
const listPath = (page, count) => `/products?page=${page}&count=${count}`;

/** @param {number} page @returns {boolean} whether there is such a row */
const hasRow = (page) => getAll([listPath(page, 1)])[0].body !== '[]';

/** @returns {number} how many products there are: doubling, then bisection over pages of one, about 40 requests */
function countProducts() {
  let known = 0;
  let empty = 1;
  while (hasRow(empty)) {
    known = empty;
    empty *= 2;
  }
  while (empty - known > 1) {
    const middle = Math.floor((known + empty) / 2);
    if (hasRow(middle)) known = middle;
    else empty = middle;
  }
  return known;
}

/** @param {number} rows @returns {number[]} the pages to read, spread evenly from the first to the last */
function windowPages(rows) {
  const pages = Math.ceil(rows / windowRows);
  const wanted = Math.min(windows, pages);
  return Array.from({ length: wanted }, (_, n) =>
    wanted === 1 ? 1 : 1 + Math.round((n * (pages - 1)) / (wanted - 1)),
  );
}

/** Digits of a number in `runs`: an id is below 2^31. */
const width = 10;

/**
 * Ids that exist, from the first to the last. Ids have gaps, so they are read, not guessed. They are kept as runs of
 * neighbours in one text, because each user holds a copy: as arrays the copies are a million objects for k6's garbage
 * collector, which shows in the latencies.
 * @typedef {object} Catalog
 * @property {number} rows products in the catalog
 * @property {number} known ids in the runs
 * @property {string} runs of each: how many known ids come before it, and its first id
 * @property {string} [skus] ids of skus; absent if no route needs them
 * @property {boolean} hasShop whether the service has the profile of a shop; false if no route needs it
 * @property {import('./terms.js').Terms} [terms] what a search finds; absent if no route needs it
 * @property {(import('./workers.js').Worker | null)[]} workers before the traffic
 * @property {number} [pageStep] each page whose number this divides has a digest; absent if there are no digests
 */

/** @param {number} value */
const fixed = (value) => String(value).padStart(width, '0');

/** @param {string} runs @param {number} run @param {0 | 1} which its offset, or its first id */
function partOf(runs, run, which) {
  const at = (2 * run + which) * width;
  return Number(runs.slice(at, at + width));
}

/** @returns {Catalog} */
function readCatalog() {
  const rows = countProducts();
  if (rows === 0) throw new Error('the catalog is empty: load data first (npm run load -- DIR)');
  /** @type {Catalog} */
  const catalog = { rows, known: 0, runs: '', workers: [] };
  const runs = [];
  const paths = windowPages(rows).map((page) => listPath(page, windowRows));
  let last = NaN;
  for (let at = 0; at < paths.length; at += batchSize) {
    for (const { body } of getAll(paths.slice(at, at + batchSize))) {
      // Not JSON.parse: 40 MB of products, of which only the ids matter. A quote in a text is escaped.
      for (const [, text] of body.matchAll(/\{"id":(\d+),/g)) {
        const id = Number(text);
        if (id !== last + 1) runs.push(fixed(catalog.known) + fixed(id));
        catalog.known += 1;
        last = id;
      }
    }
  }
  catalog.runs = runs.join('');
  return catalog;
}

/**
 * A file of the runner: the catalog, and the digests of correct replies (scripts/k6/content.js). Shared, because each
 * user has a copy of everything else. Reading a number from it is quick; reading a text is not, so only `setup` reads the catalog.
 */
const given = __ENV.CATALOG
  ? new SharedArray('catalog', () => {
      const { products = [], pages = [], ...catalog } = JSON.parse(open(__ENV.CATALOG));
      return [catalog.pageStep ?? 0, catalog, ...products, ...pages];
    })
  : undefined;

/** The runner has read a digest of every reply. */
export const comparesAll = given?.[0] === 1;

/** @returns {Catalog} for the virtual users */
export function setup() {
  const catalog = { ...(given?.[1] ?? readCatalog()), workers: readWorkers(), hasShop: readShop() };
  if (needsTerms()) catalog.terms = readTerms();
  if (needsSkus()) catalog.skus = readSkus(catalog.rows);
  return catalog;
}

/** In the order in which the digests of a product's replies follow each other. */
const documents = ['product', 'styles', 'related'];

/** @returns {number} a place in the catalog, 0 the first row and below 1 */
function place() {
  const from = Math.random() < 0.1 ? lastTenth : 0;
  return from + Math.random() * (1 - from);
}

/** @returns {number} an id @param {Catalog} catalog @param {number} n below `known` */
function idAt({ runs }, n) {
  let low = 0;
  let high = runs.length / (2 * width);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (partOf(runs, middle, 0) <= n) low = middle;
    else high = middle;
  }
  return partOf(runs, low, 1) + n - partOf(runs, low, 0);
}

/**
 * @param {Catalog} catalog @param {string} route of one product
 * @returns {{ id: number, digest: number | undefined }} an id that exists, and of its reply
 */
export function drawProduct(catalog, route) {
  const { known, pageStep } = catalog;
  const n = Math.floor(place() * known);
  return {
    id: idAt(catalog, n),
    digest: pageStep && given[2 + n * documents.length + documents.indexOf(route)],
  };
}

/** @param {Catalog} catalog @returns {number} one of the last ids, of which every one is known */
export const drawLast = (catalog) =>
  idAt(catalog, catalog.known - 1 - Math.floor(Math.random() * Math.min(windowRows, catalog.known)));

/**
 * @param {Catalog} catalog @param {number} count rows of a page
 * @returns {{ page: number, digest: number | undefined }} a full page that exists, and of its reply
 */
export function drawPage({ rows, known, pageStep }, count) {
  const page = 1 + Math.floor(place() * Math.max(1, Math.floor(rows / count)));
  return { page, digest: page % pageStep === 0 ? given[1 + known * documents.length + page / pageStep] : undefined };
}
