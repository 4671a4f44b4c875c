'use strict';

const vm = require('node:vm');

/**
 * Jest reads ES modules only with an experimental flag of Node. Node's own `require` reads them, and this is outside of Jest's sandbox.
 * @type {NodeJS.Require}
 */
const requireModule = vm.runInThisContext("process.getBuiltinModule('node:module')").createRequire(__filename);

/** @type {typeof import('../../server/client/catalog.js')} */
const client = requireModule('../../server/client/catalog.js');

/**
 * The routes that a worker answers from now on, one entry a reply.
 * @param {import('../../server/core/events').Events} events
 */
function countReplies(events) {
  /** @type {string[]} */
  const routes = [];
  for (const name of /** @type {const} */ (['replied', 'repliedAtOnce']))
    events.on(name, (/** @type {string} */ route) => routes.push(route));
  return {
    /** Those since the last call. */
    take: () => routes.splice(0),
  };
}

module.exports = { ...client, countReplies, requireModule };
