'use strict';
const vm = require('node:vm');

/**
 * Jest reads ES modules only with an experimental flag of Node. Node's own `require` reads them, and this is outside of Jest's sandbox.
 * Names are relative to this folder.
 * @type {NodeJS.Require}
 */
const requireModule = vm.runInThisContext("process.getBuiltinModule('node:module')").createRequire(__filename);

exports.requireModule = requireModule;
