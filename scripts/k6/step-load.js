'use strict';

/**
 * How the cache tiers and the CPU were used while a step ran. `tiers`: share of the correct replies by the tier that had
 * them; only if the metrics of all workers are read. `cpu`: cores in use by process; `busy`: by all on the generator's machine.
 * @typedef {{ tiers?: Record<string, number>, cpu: Record<string, number>, busy?: number }} StepLoad
 */

/**
 * nginx (L0) answers what k6 counts and no worker does. The workers' reads divide the rest.
 * @param {number} answered by k6's count @param {number | undefined} byWorkers @param {Record<string, number>} reads by tier
 * @returns {Record<string, number> | undefined}
 */
function tiersOf(answered, byWorkers, { L1 = 0, L2 = 0, PostgreSQL = 0 }) {
  if (byWorkers === undefined || !answered) return undefined;
  const L0 = Math.max(0, 1 - byWorkers / answered);
  const scale = (1 - L0) / (L1 + L2 + PostgreSQL || 1);
  return { L0, L1: L1 * scale, L2: L2 * scale, PostgreSQL: PostgreSQL * scale };
}

/** @param {Record<string, number>[]} groups one for each second @returns {Record<string, number>} sums by line */
function sumsOf(groups) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const lines of groups) for (const [line, value] of Object.entries(lines)) sums[line] = (sums[line] ?? 0) + value;
  return sums;
}

/**
 * @param {import('./timeline').Window[]} windows of the step
 * @param {import('./recorder').ServerPoint[]} server points, each of which covers the second before it
 * @returns {StepLoad}
 */
function stepLoad(windows, server) {
  const points = new Map(server.map(({ t, groups }) => [Math.round(t) - 1, groups]));
  const seen = windows.filter(({ t }) => points.has(t));
  const sum = (/** @type {string} */ group) => sumsOf(seen.map(({ t }) => points.get(t)?.[group] ?? {}));
  const answered = seen.reduce((total, { rps }) => total + rps, 0);
  const mean = (/** @type {number} */ total) => total / seen.length;
  const { busy } = sum('machine');
  return {
    tiers: tiersOf(answered, sum('replies').ok, sum('reads')),
    cpu: Object.fromEntries(Object.entries(sum('cpu')).map(([line, total]) => [line, mean(total)])),
    busy: busy === undefined ? undefined : mean(busy),
  };
}

module.exports = { stepLoad };
