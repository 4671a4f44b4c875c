'use strict';

/**
 * What a worker that does not answer costs one request: tries × the time of one. That time is longer than a worker waits for its
 * databases (tests/provision/app.test.js): with a database that is stuck it is the worker that says so. Given up before, each
 * cold read would be asked tries times of what is slow already, and each try count as a failure of its worker.
 * @typedef {{ documentTimeout: string, tries: number, retried: string }} Retries
 */

/**
 * Workers of one machine fail alone, and wait 0.75 s for PostgreSQL (PG_QUERY_TIMEOUT_MS). Three tries, because of a
 * rolling reload: while the worker before is still left out, one that restarts is met twice, as itself and as its backup.
 * A 503 is not tried again: shed load must not be offered twice.
 * @type {Retries}
 */
const oneMachine = { documentTimeout: '1s', tries: 3, retried: 'error timeout' };

/**
 * Workers of a node fail together: the second try may meet the same dead node, so there is a third, and two
 * silent ones together stay below 1.2 s. A 503 is tried elsewhere: one node alone may be without its database,
 * as when its network comes back (6 of 30,090 requests failed by that). What is shed is then offered three times, so a stuck
 * database costs three times what a worker waits for it: a quarter of a second (scripts/provision/files/fleet.env), of which
 * a cold read takes milliseconds. A longer wait in fewer tries would have a frozen node fail those who meet it twice.
 * @type {Retries}
 */
const fleet = { documentTimeout: '500ms', tries: 3, retried: 'error timeout http_503' };

module.exports = { fleet, oneMachine };
