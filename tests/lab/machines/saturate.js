'use strict';
const { setTimeout: sleep } = require('node:timers/promises');
const { atLeast, atMost } = require('../judge');
const { curl, some } = require('./incident');
const { underLoad } = require('./under-load');

/* A monitor that fell silent when its nodes are too busy would be blind at the only moment that matters. */

/** @import { Incident } from './incident' */
/** @import { Fleet } from './use-machines' */

const node = 'app-2';
const workers = [3030, 3031];
const rate = 7000;
const seconds = 30;
const answersMs = 2000;
/** A share of the requests: fewer would be bad luck with connections. */
const leastLeft = 0.1;

/** @param {Fleet} fleet @param {string} expression of Prometheus @returns {Promise<number>} of its first series; NaN: no answer */
async function query(fleet, expression) {
  const url = `http://${fleet.addresses['mon-1']}:9090/api/v1/query`;
  const text = await curl(fleet, ['-f', '-G', url, '--data-urlencode', `query=${expression}`]);
  return text ? Number(JSON.parse(text).data.result[0]?.value[1] ?? NaN) : NaN;
}

/** Asks each second. @param {Fleet} fleet @param {AbortSignal} over @returns {Promise<{ asked: number, silent: number, maxMs: number }>} */
async function watch(fleet, over) {
  const seen = { asked: 0, silent: 0, maxMs: 0 };
  for (; !over.aborted; await sleep(1000)) {
    const startMs = performance.now();
    if (Number.isNaN(await query(fleet, 'count(up)'))) seen.silent += 1;
    seen.asked += 1;
    seen.maxMs = Math.max(seen.maxMs, Math.round(performance.now() - startMs));
  }
  return seen;
}

/** @type {Incident} */
const saturate = {
  done: `each worker of an app node gets ${rate} requests a second for ${seconds} s, more than it answers`,
  target: `the monitor answers each second, within ${answersMs / 1000} s, and misses no scrape of the other machines`,
  run: async (fleet, scale) => {
    const size = { rate, requests: rate * some(seconds, scale) };
    const [over, startMs] = [new AbortController(), Date.now()];
    const watched = watch(fleet, over.signal);
    const load = (/** @type {number} */ port) =>
      underLoad({ network: fleet.network, base: `http://${fleet.addresses[node]}:${port}` }, size, async () => {});
    const loads = await Promise.all(workers.map(load)).finally(() => over.abort());
    const { asked, silent, maxMs } = await watched;
    const up = await query(fleet, `min(min_over_time(up{node!="${node}"}[${Date.now() - startMs}ms]))`);
    const sum = (/** @type {'sent' | 'failed' | 'refused' | 'unsent'} */ of) =>
      loads.reduce((all, each) => all + each[of], 0);
    const [sent, unsent, tooMany] = [sum('sent'), sum('unsent'), sum('refused') + sum('unsent')];
    return {
      questions: [asked],
      silent: [silent, 0],
      longestAnswerMs: [maxMs, atMost(answersMs)],
      everyScrape: [up, 1],
      answered: [sent - sum('failed')],
      tooMany: [tooMany, atLeast(leastLeft * (sent + unsent))],
    };
  },
};

exports.saturate = saturate;
