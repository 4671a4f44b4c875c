/**
 * Does the whole chain answer all four routes correctly at a modest rate, over the whole catalog?
 * A gate, not a benchmark: one wrong body, one failed request or one dropped iteration fails it.
 */
import { secondsOf, together } from './lib/loads.js';
import { routeNames } from './lib/routes.js';
import { summarise } from './lib/summary.js';

const seconds = secondsOf(__ENV.DURATION || '20s');
const rate = Number(__ENV.RATE || 50);
const { rows, options } = together(routeNames.map((route) => ({ route, rate, seconds, budgetMs: 500 })));

export { options };
export const handleSummary = summarise(rows);
export { setup } from './lib/ids.js';
export { products, product, styles, related } from './lib/routes.js';
