'use strict';

/** Jest calls this after all. It stops what start-servers.js has started. */
module.exports = () => /** @type {any} */ (globalThis).stopTestServers?.();
