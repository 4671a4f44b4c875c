'use strict';

const { testSearches } = require('../../helpers/random-searches');

testSearches([
  { products: 350, queries: 1400, seed: 3, tuned: false },
  { products: 800, queries: 300, seed: 4, tuned: false },
  { products: 200, queries: 1000, seed: 7, tuned: true },
]);
