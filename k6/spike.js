/**
 * How much does a sudden tenfold rate cost, and does the service recover as soon as it ends?
 * During the spike replies may take ten times the budget, but none may fail. Afterwards the budget counts again.
 */
import { p99Ms } from './lib/budgets.js';
import { inSequence, secondsOf } from './lib/loads.js';
import { summarise } from './lib/summary.js';

const seconds = secondsOf(__ENV.DURATION || '20s');
const rate = Number(__ENV.RATE || 150);
const route = 'mix';
const { rows, options } = inSequence(
  [
    { route, name: `before-${rate}`, rate, seconds },
    { route, name: `spike-${rate * 10}`, rate: rate * 10, seconds, budgetMs: p99Ms * 10 },
    { route, name: `after-${rate}`, rate, seconds },
  ],
  { pause: 0 },
);

export { options };
export const handleSummary = summarise(rows);
export { setup } from './lib/ids.js';
export { teardown } from './lib/workers.js';
export { mix } from './lib/routes.js';
