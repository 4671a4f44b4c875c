/**
 * Do the same workers after hours still answer as in their first minute, with no more memory and no more descriptors?
 * k6 judges the replies. The runner reads the workers' metrics and judges memory, descriptors and restarts.
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
