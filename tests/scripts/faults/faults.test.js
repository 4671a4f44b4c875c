'use strict';
const { testFaults } = require('../../helpers/faults');

/** A few quick ones; faults.long.test.js has the others. */
describe('clients get what is promised during', () => testFaults('R2 P3c N2 S1 S5'));
