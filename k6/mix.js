/**
 * Does a storefront's traffic (4 products, 1 list, 1 styles, 1 related) hold the budget, each route for itself?
 * The cost of one route to another shows only when both are requested at the same time.
 */
import { inSequence, secondsOf } from './lib/loads.js';
import { summarise } from './lib/summary.js';

const seconds = secondsOf(__ENV.DURATION || '60s');
const rate = Number(__ENV.RATE || 1000);
const { rows, options } = inSequence([{ route: 'mix', rate, seconds }]);

export { options };
export const handleSummary = summarise(rows);
export { setup } from './lib/ids.js';
export { teardown } from './lib/workers.js';
export { mix } from './lib/routes.js';
