'use strict';

const { testSearches } = require('../../helpers/random-searches');

testSearches([
  { products: 350, queries: 1400, seed: 3 },
  { products: 800, queries: 300, seed: 4 },
]);
