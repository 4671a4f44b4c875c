'use strict';

/** Where the service lives on a node, as scripts/provision makes it. */
const home = '/opt/catalog';

module.exports = { home };
