'use strict';

const { requireModule } = require('./require-module');

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
