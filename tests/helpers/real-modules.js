'use strict';
const vm = require('node:vm');

/*
 * Jest's own require refuses ES modules, which Node's loads. The workers share this one with the client and the page.
 */
jest.mock('../../server/client/words.js', () =>
  vm.runInThisContext("process.getBuiltinModule('node:module')").createRequire(__filename)(
    '../../server/client/words.js',
  ),
);
