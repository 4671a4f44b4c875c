'use strict';

/**
 * What a worker that does not answer costs one request: the time of one try. A worker waits longer than that for its database
 * (PG_QUERY_TIMEOUT_MS): a stall of a second is outlasted by the tries together, and a frozen worker costs no more for it. nginx cannot
 * tell the two apart. So a read that waits through a stall may be asked of a second worker; both are answered when the stall ends. Each such
 * try counts as a failure of its worker, which costs nothing: all workers stall alike, and go on as their own backups (upstreams.js).
 * @typedef {{ documentTimeout: string, tries: number, retried: string }} Retries
 */

/**
 * Workers of one machine fail alone. Three tries, because of a rolling reload: while the worker before is still left out, one
 * that restarts is met twice, as itself and as its backup.
 * A 503 is not tried again: shed load must not be offered twice.
 * @type {Retries}
 */
const oneMachine = { documentTimeout: '1s', tries: 3, retried: 'error timeout' };

/**
 * Workers of a node fail together: the second try may meet the same dead node, so there is a third, and two
 * silent ones together stay below 1.2 s. A 503 is tried elsewhere: one node alone may be without its database,
 * as when its network comes back (6 of 30,090 requests failed by that). What is shed is then offered three times. A longer
 * wait in fewer tries would have a frozen node fail those who meet it twice.
 * @type {Retries}
 */
const fleet = { documentTimeout: '500ms', tries: 3, retried: 'error timeout http_503' };

module.exports = { fleet, oneMachine };
