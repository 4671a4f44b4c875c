/**
 * Do the same workers after hours still answer as in their first minute, with no more memory and no more descriptors?
 * A user beside the traffic reads the metrics of the workers.
 */
import { setup as readCatalog } from './lib/ids.js';
import { inSequence, secondsOf } from './lib/loads.js';
import { summarise } from './lib/summary.js';
import { watchGrowth } from './lib/workers.js';

const seconds = secondsOf(__ENV.DURATION || '30m');
const rate = Number(__ENV.RATE || 300);
/** Something must be seen of a ninth of a run. */
const leastSeconds = 9;
const { rows, options } = inSequence([{ route: 'mix', rate, seconds }]);
const { startTime } = options.scenarios[`mix-${rate}`];
const watching = { executor: 'per-vu-iterations', exec: 'watch', startTime, maxDuration: `${seconds + 60}s` };
options.scenarios.watch = { ...watching, vus: 1, iterations: 1 };
options.thresholds.leaks = ['count==0'];

export { options };
export function setup() {
  if (seconds < leastSeconds) throw new Error(`${seconds} s show no growth: --duration ${leastSeconds}s or more`);
  if (!__ENV.METRICS) throw new Error('the workers would not be watched: name their metrics with --metrics');
  return readCatalog();
}

export const watch = () => watchGrowth(seconds);
export const handleSummary = summarise(rows);
export { teardown } from './lib/workers.js';
export { mix } from './lib/routes.js';
