/**
 * Does the whole chain answer all four routes correctly at a modest rate, over the whole catalog?
 * A gate, not a benchmark: one wrong body or one failed request fails it.
 */
import { checkReply } from './lib/checks.js';
import { pick, sampleIds } from './lib/ids.js';
import { get } from './lib/target.js';

const duration = __ENV.DURATION || '20s';
/** Requests per second of each route. */
const rate = Number(__ENV.RATE || 50);

/** @param {string} exec an arrival rate, not looping users: a slow server must not lower the load that measures it */
const scenario = (exec) => ({
  executor: 'constant-arrival-rate',
  exec,
  rate,
  timeUnit: '1s',
  duration,
  preAllocatedVUs: 20,
  maxVUs: 200,
});

export const options = {
  scenarios: {
    products: scenario('products'),
    product: scenario('product'),
    styles: scenario('styles'),
    related: scenario('related'),
  },
  thresholds: {
    checks: ['rate==1'],
    http_req_failed: ['rate==0'],
    dropped_iterations: ['count==0'],
    'http_req_duration{scenario:styles}': ['p(95)<500'],
  },
};

export const setup = () => ({ ids: sampleIds(200) });

/** @typedef {{ ids: number[] }} Data */

export function products() {
  checkReply(get('/products?page=1&count=5', '/products'), 'products');
}

/** @param {Data} data */
export function product({ ids }) {
  const id = pick(ids);
  checkReply(get(`/products/${id}`, '/products/:product_id'), 'product', id);
}

/** @param {Data} data */
export function styles({ ids }) {
  const id = pick(ids);
  checkReply(get(`/products/${id}/styles`, '/products/:product_id/styles'), 'styles', id);
}

/** @param {Data} data */
export function related({ ids }) {
  const id = pick(ids);
  checkReply(get(`/products/${id}/related`, '/products/:product_id/related'), 'related', id);
}
