'use strict';

/**
 * A worker that does not answer delays a request by the time of one try. A worker waits longer than that for its database
 * (PG_QUERY_TIMEOUT_MS), and nginx cannot distinguish a stalled database from a frozen worker. So during a stall it asks a second worker,
 * and both answer when the stall ends. All tries together outlast a stall of one second. Each such try counts as a failure of its
 * worker, which is harmless: all workers stall alike and serve as their own backups (upstreams.js).
 * @typedef {{ documentTimeout: string, tries: number, retried: string }} Retries
 */

/**
 * Workers of one machine fail one at a time. Three tries, because of a rolling reload: while the previous worker is still left out, a
 * request may meet the restarting one twice, as itself and as its backup. A 503 is not retried: an overloaded machine must not
 * get the request again.
 * @type {Retries}
 */
const oneMachine = { documentTimeout: '1s', tries: 3, retried: 'error timeout' };

/**
 * Workers of a node fail together. The second try may meet the same dead node, so there is a third, and two silent tries together stay
 * below 1.2 s. A 503 is offered to another worker: one node alone may be without its database, for example when its network
 * comes back (6 of 30,090 requests failed without this). In an overload a request is then offered three times. With a longer wait
 * and fewer tries, requests that meet a frozen node twice would fail.
 * @type {Retries}
 */
const fleet = { documentTimeout: '500ms', tries: 3, retried: 'error timeout http_503' };

/**
 * All workers of a node that is drained or lost refuse connections at once. A refusal takes no time, but it is a try: with three tries,
 * 4 of 4,932 requests met only the four workers of the same node. Silent tries still end after two seconds (nginx.conf.template).
 * @param {number} workers of the largest node
 * @returns {Retries}
 */
const fleetOf = (workers) => ({ ...fleet, tries: Math.max(fleet.tries, workers + 1) });

module.exports = { fleet, fleetOf, oneMachine };
