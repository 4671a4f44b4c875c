'use strict';
const { testFaults } = require('../../helpers/faults');

/** One of each kind; `npm run faults` makes all of them, and judges times. */
describe('clients get what is promised during', () =>
  testFaults('R2 R3 R5a R6 R7 R10 P2a P2b P3c P6 P9 N1 N2 N3 N7 N9a F1 F2 F3 F4 F5 S1 S2 S3 S5 S7'));
