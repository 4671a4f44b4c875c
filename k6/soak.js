/**
 * Does the service after hours still answer as in its first minute, with no more memory and no more descriptors?
 * k6 judges the replies; the memory and descriptors of the workers are judged by the runner that scrapes them.
 */
import { inSequence, secondsOf } from './lib/loads.js';
import { summarise } from './lib/summary.js';

const seconds = secondsOf(__ENV.DURATION || '30m');
const rate = Number(__ENV.RATE || 300);
const { rows, options } = inSequence([{ route: 'mix', rate, seconds }]);

export { options };
export const handleSummary = summarise(rows);
export { setup } from './lib/ids.js';
export { mix } from './lib/routes.js';
