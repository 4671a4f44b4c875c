/**
 * Are 500 requests for 500 products at the same moment answered within a second, over HTTP/1.1 and over HTTP/2?
 * A front end that shows a long list sends such a burst. HTTP/2 carries it on few connections.
 */
import exec from 'k6/execution';
import http from 'k6/http';
import { checkReply } from './lib/checks.js';
import { drawProduct } from './lib/ids.js';
import { withOptions } from './lib/loads.js';
import { summarise } from './lib/summary.js';
import { baseUrl, params } from './lib/target.js';

/** For 99 of 100 requests. The time to open connections is not included. */
const budgetMs = 1000;
const size = 500;
const scenario = __ENV.PROTOCOL || 'http1';
const protocol = { http1: 'HTTP/1.1', http2: 'HTTP/2.0' }[scenario];
const rounds = Number(__ENV.ROUNDS || 20);

const { rows, options } = withOptions(
  {
    [scenario]: { executor: 'per-vu-iterations', vus: 1, iterations: rounds, maxDuration: '10m' },
  },
  [{ scenario, route: 'product', selector: `scenario:${scenario}`, budgetMs, expected: rounds * size }],
  { batch: size, batchPerHost: size },
);

export { options };
export const handleSummary = summarise(rows);
export { setup } from './lib/ids.js';
export { teardown } from './lib/workers.js';

/** @param {import('./lib/ids.js').Catalog} catalog */
export default function burst(catalog) {
  const asked = Array.from({ length: size }, () => drawProduct(catalog, 'product'));
  const replies = http.batch(asked.map(({ id }) => ['GET', `${baseUrl}/products/${id}`, null, params('product')]));
  const other = replies.find(({ status, proto }) => status !== 0 && proto !== protocol);
  if (other) exec.test.abort(`${baseUrl} answers in ${other.proto}, not in ${protocol}`);
  replies.forEach((reply, n) => checkReply(reply, 'product', asked[n]));
}
