/**
 * Does each route hold its budget at 1, 10, 100 and 1000 requests a second, over the whole catalog?
 * One rung after another; a route that is slow, wrong or late at one rate is seen at that rate.
 */
import { inSequence, secondsOf } from './lib/loads.js';
import { routeNames } from './lib/routes.js';
import { summarise } from './lib/summary.js';

const seconds = secondsOf(__ENV.DURATION || '30s');
const rates = (__ENV.RATES || '1,10,100,1000').split(',').map(Number);
const routes = (__ENV.ROUTES || routeNames.join()).split(',');
const { rows, options } = inSequence(routes.flatMap((route) => rates.map((rate) => ({ route, rate, seconds }))));

export { options };
export const handleSummary = summarise(rows);
export { setup } from './lib/ids.js';
export { list, product, styles, related, mix } from './lib/routes.js';
