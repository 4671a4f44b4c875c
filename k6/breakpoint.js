/**
 * How high a rate does a route, or the mix, sustain within its budget?
 * The rate rises until a threshold is missed, which ends the run: too slow, wrong, or sent too late.
 */
import { rising, secondsOf } from './lib/loads.js';
import { routesOf } from './lib/routes.js';
import { summarise } from './lib/summary.js';

const { rows, options } = rising({
  route: routesOf(__ENV.ROUTES || 'mix')[0],
  rate: Number(__ENV.RATE || 200),
  seconds: secondsOf(__ENV.DURATION || '30s'),
});

export { options };
export const handleSummary = summarise(rows);
export { setup } from './lib/ids.js';
export { teardown } from './lib/workers.js';
export { products, product, styles, related, batch, included, sku, skus, mix } from './lib/routes.js';
export { search, suggest, menu as catalog, exported as export, sitemap, feed, ucp, mcp } from './lib/routes.js';
