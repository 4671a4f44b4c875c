'use strict';
const { testFaults } = require('../../helpers/faults');

/** A few quick ones; faults.long.test.js has the others. */
describe('clients get what they are promised under', () => testFaults('R2 P3c N2 S1 S5'));
