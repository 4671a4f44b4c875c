'use strict';

const { testSearches } = require('../../helpers/random-searches');

testSearches([
  { products: 1, queries: 50, seed: 1, tuned: false },
  { products: 23, queries: 250, seed: 2, tuned: false },
  { products: 350, queries: 100, seed: 5, tuned: false },
  { products: 60, queries: 150, seed: 6, tuned: true },
]);
