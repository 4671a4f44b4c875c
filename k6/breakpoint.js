/**
 * How high a rate does a route, or the mix, sustain within its budget?
 * This file is one probe of the search: one route at one rate. scripts/lib/search.js chooses the rates.
 */
import { inSequence, secondsOf } from './lib/loads.js';
import { routesOf } from './lib/routes.js';
import { summarise } from './lib/summary.js';

const { rows, options } = inSequence([
  {
    route: routesOf(__ENV.ROUTES || 'mix')[0],
    rate: Number(__ENV.RATE || 1000),
    seconds: secondsOf(__ENV.DURATION || '10s'),
  },
]);

export { options };
export const handleSummary = summarise(rows);
export { setup } from './lib/ids.js';
export { products, product, styles, related, batch, included, mix } from './lib/routes.js';
export { search, suggest, menu as catalog, exported as export } from './lib/routes.js';
