/**
 * Does each route hold its budget at each rate, over the whole catalog?
 * One rate step after another, so that the figures of a step show one route at one rate.
 */
import { inSequence, secondsOf } from './lib/loads.js';
import { routeNames, routesOf } from './lib/routes.js';
import { summarise } from './lib/summary.js';

const seconds = secondsOf(__ENV.DURATION || '30s');
const rates = (__ENV.RATES || '1,10,100,1000').split(',').map(Number);
const routes = routesOf(__ENV.ROUTES || routeNames.join());
const { rows, options } = inSequence(routes.flatMap((route) => rates.map((rate) => ({ route, rate, seconds }))));

export { options };
export const handleSummary = summarise(rows);
export { setup } from './lib/ids.js';
export { teardown } from './lib/workers.js';
export { products, product, styles, related, batch, included, sku, skus, mix } from './lib/routes.js';
export { search, suggest, menu as catalog, exported as export, sitemap, feed, ucp, mcp } from './lib/routes.js';
