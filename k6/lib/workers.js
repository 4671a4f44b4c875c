import http from 'k6/http';
import { Counter } from 'k6/metrics';
import { sleep } from 'k6';

/* Figures of the workers' own metrics, where the runner knows their addresses. */

const addresses = (__ENV.METRICS || '').split(',').filter(Boolean);

/** A worker that ends is started again, and no request need have failed. */
const ended = new Counter('ended_workers');
const leaks = new Counter('leaks');
const tiers = { l1: 'memory', absent: 'memory', l2: 'redis', database: 'postgresql' };
/** Replies of the catalog that nginx did not have, and the tiers that the workers read. */
const counters = Object.fromEntries(
  ['replies', 'memory', 'redis', 'postgresql'].map((name) => [name, new Counter(`workers_${name}`)]),
);

/** A larger gain is a leak, or the run was too short. */
const allowed = { memory: { share: 0.1, least: 16, unit: 'MB' }, descriptors: { share: 0.1, least: 20, unit: 'open' } };

/** A worker that ends is started again within this time. */
const restartSeconds = 15;

const ofCatalog =
  /^(products?|styles|related|batch|included|skus?|search|suggest|catalog|export|sitemap|feed|ucp|mcp)$/;

/** @typedef {{ started: number, memory: number, descriptors: number, counts: Record<string, number> }} Worker */

/** @param {string} address @returns {Worker | null} null: it does not answer */
function readWorker(address) {
  const tags = { name: 'metrics', scenario: 'beside' };
  const { status, body } = http.get(address, { tags, timeout: '2s', responseType: 'text' });
  if (status !== 200) return null;
  const counts = { replies: 0, memory: 0, redis: 0, postgresql: 0 };
  for (const [, route, value] of body.matchAll(/^catalog_replies_total\{route="(\w+)",status="200"\} (\S+)$/gm))
    if (ofCatalog.test(route)) counts.replies += Number(value);
  for (const [, tier, value] of body.matchAll(/^catalog_reads_total\{tier="(\w+)"\} (\S+)$/gm))
    if (tiers[tier]) counts[tiers[tier]] += Number(value);
  const valueOf = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
  return {
    started: valueOf('process_start_time_seconds'),
    memory: valueOf('process_resident_memory_bytes') / 2 ** 20,
    descriptors: valueOf('process_open_fds'),
    counts,
  };
}

/** @returns {(Worker | null)[]} */
export const readWorkers = () => addresses.map(readWorker);

/** Runs once, after the traffic. @param {{ workers: (Worker | null)[] } | undefined} data undefined if the setup failed */
export function teardown(data) {
  if (!data) return;
  const { workers } = data;
  let now = readWorkers();
  for (let waited = 0; waited < restartSeconds && now.includes(null); waited += 1) {
    sleep(1);
    now = readWorkers();
  }
  const lost = workers.flatMap((before, n) => (before && before.started !== now[n]?.started ? [n] : []));
  for (const n of lost)
    console.warn(
      `worker ${n + 1} ended during the run and ${now[n] ? 'is another process since' : 'does not answer'}: see its log`,
    );
  ended.add(lost.length);
  // Counters of another process begin again.
  if (lost.length > 0 || addresses.length === 0 || workers.includes(null)) return;
  for (const [name, counter] of Object.entries(counters))
    counter.add(workers.reduce((sum, { counts }, n) => sum + now[n].counts[name] - counts[name], 0));
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Caches fill and the heap finds its size in the first third of a run. Growth is seen between the next and the last two ninths.
 * @param {Worker[]} points of one worker @param {number} n its index
 */
function judgeGrowth(points, n) {
  const ninth = Math.floor(points.length / 9);
  for (const [name, { share, least, unit }] of Object.entries(allowed)) {
    const [from, to] = [points.slice(3 * ninth, 5 * ninth), points.slice(-2 * ninth)].map((part) =>
      mean(part.map((point) => point[name])),
    );
    const isLeak = to - from > Math.max(least, from * share);
    leaks.add(isLeak ? 1 : 0);
    console.warn(`worker ${n + 1}: ${name} ${from.toFixed(0)} → ${to.toFixed(0)} ${unit}${isLeak ? ', a leak' : ''}`);
  }
}

/** Watches the workers from the first to the last third of a soak. @param {number} seconds */
export function watchGrowth(seconds) {
  const points = addresses.map(() => []);
  for (const end = Date.now() + seconds * 1000; Date.now() < end; sleep(Math.max(1, seconds / 90)))
    readWorkers().forEach((worker, n) => worker && points[n].push(worker));
  points.forEach(judgeGrowth);
}
