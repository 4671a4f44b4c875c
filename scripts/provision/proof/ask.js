'use strict';

/**
 * Runs a script on a machine and gives its output, or throws.
 * @typedef {(script: string) => string} Run
 */

/** For what may just be starting. */
const get = 'curl -fsS --retry 20 --retry-all-errors --retry-delay 1';

module.exports = { get };
