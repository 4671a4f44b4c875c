/**
 * Does the whole chain answer all routes correctly at a modest rate, over the whole catalog?
 * A gate, not a benchmark: one wrong body, one failed request or one dropped iteration fails it.
 */
import { secondsOf, together } from './lib/loads.js';
import { moreNames, routeNames, routesOf } from './lib/routes.js';
import { summarise } from './lib/summary.js';

const seconds = secondsOf(__ENV.DURATION || '20s');
const rate = Number(__ENV.RATE || 50);
/** Those beyond the Atelier API take more work each. A worker begins two exports or feeds at once. @param {string} route */
const rateOf = (route) =>
  ['export', 'feed'].includes(route) ? 1 : routeNames.includes(route) ? rate : Math.ceil(rate / 5);
const routes = routesOf(__ENV.ROUTES || [...routeNames, ...moreNames].join());
const { rows, options } = together(routes.map((route) => ({ route, rate: rateOf(route), seconds, budgetMs: 500 })));

export { options };
export const handleSummary = summarise(rows);
export { setup } from './lib/ids.js';
export { teardown } from './lib/workers.js';
export { products, product, styles, related, batch, included, sku, skus, mix } from './lib/routes.js';
export { search, suggest, menu as catalog, exported as export, sitemap, feed, ucp, mcp } from './lib/routes.js';
