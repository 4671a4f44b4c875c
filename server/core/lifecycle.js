'use strict';

/**
 * @typedef {object} Part something the service opens at start and closes at stop
 * @property {string} name
 * @property {() => Promise<void> | void} open
 * @property {() => Promise<void> | void} close
 */

/**
 * Opens parts in order. When one fails, those already open are closed before the error is thrown:
 * a half-started worker would hold its port and its connections.
 * @param {Part[]} parts
 */
async function openAll(parts) {
  for (const [index, part] of parts.entries()) {
    try {
      await part.open();
    } catch (error) {
      await closeAll(parts.slice(0, index));
      throw error;
    }
  }
}

/**
 * Closes parts in reverse order; one that fails to close does not keep the others open.
 * @param {Part[]} parts
 * @returns {Promise<Error[]>} the failures
 */
async function closeAll(parts) {
  /** @type {Error[]} */
  const errors = [];
  for (const part of parts.toReversed()) {
    try {
      await part.close();
    } catch (error) {
      errors.push(new Error(`closing ${part.name} failed`, { cause: error }));
    }
  }
  return errors;
}

/**
 * The parts of a program that its process needs.
 * @template {{ log: import('../observe/log').Log, events: import('./events').Events }} C
 * @param {C} common config, log, events and health
 * @param {{ draining: boolean }} state
 * @param {{ parts: Part[], http: { port: number, refuseUnderWay: (error: unknown, afterMs: number) => void }, admin: { port: number } }} listening
 */
const serviceOf = (common, state, { parts, http, admin }) => ({
  ...common,
  open: () => openAll(parts),
  refuseUnderWay: http.refuseUnderWay,
  /** @param {string} reason */
  async close(reason) {
    state.draining = true;
    common.events.emit('draining', reason);
    for (const error of await closeAll(parts)) common.log.error({ err: error }, error.message);
  },
  get ports() {
    return { http: http.port, admin: admin.port };
  },
});

/**
 * @param {Promise<unknown>} work
 * @param {number} timeoutMs
 * @returns {Promise<boolean>} whether the work ended in time
 */
function within(work, timeoutMs) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const timer = setTimeout(resolve, timeoutMs, false);
  work.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  return /** @type {Promise<boolean>} */ (promise);
}

exports.openAll = openAll;
exports.closeAll = closeAll;
exports.serviceOf = serviceOf;
exports.within = within;
