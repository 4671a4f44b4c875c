/**
 * Does the service answer a product correctly at 50 requests a second?
 * The smallest whole test. Copy it to write your own, and run it with k6 alone:
 *
 *   k6 run k6/00.basic.js -e BASE_URL=http://127.0.0.1:8080
 */
import { check } from 'k6';
import http from 'k6/http';

const baseUrl = __ENV.BASE_URL || 'http://127.0.0.1:8080';

export const options = {
  scenarios: {
    // An open model: k6 starts 50 requests each second, however slow the replies are.
    basic: {
      executor: 'constant-arrival-rate',
      rate: 50,
      timeUnit: '1s',
      duration: __ENV.DURATION || '10s',
      preAllocatedVUs: 20,
    },
  },
  // The verdict. k6 ends with status 99 when a threshold is missed.
  thresholds: {
    'http_req_duration{route:product}': ['p(99)<=10'], // milliseconds
    'checks{route:product}': ['rate==1'],
    dropped_iterations: ['count==0'], // requests that k6 could not start in time
  },
};

/** Runs once, before the traffic. Ids have gaps, so read them instead of guessing. */
export function setup() {
  const reply = http.get(`${baseUrl}/products?page=1&count=100`);
  if (reply.status !== 200) throw new Error(`${baseUrl} answers ${reply.status || reply.error}: start the service`);
  return reply.json('#.id');
}

/** Runs once for each request. @param {number[]} ids what setup returned */
export default function (ids) {
  const id = ids[Math.floor(Math.random() * ids.length)];
  // Tags group the figures. Without `name`, each URL becomes a metric of its own.
  const tags = { name: 'product', route: 'product' };
  const reply = http.get(`${baseUrl}/products/${id}`, { tags });
  const checks = {
    'status is 200': ({ status }) => status === 200,
    'body is this product': ({ status, body }) => status === 200 && JSON.parse(body).id === id,
  };
  check(reply, checks, tags);
}
// Next: smoke.js does this for all routes, with ids of the whole catalog and each body compared (lib/).
