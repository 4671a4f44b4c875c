'use strict';

const { testSearches } = require('../../helpers/random-searches');

testSearches([
  { products: 1, queries: 50, seed: 1 },
  { products: 23, queries: 250, seed: 2 },
  { products: 350, queries: 100, seed: 5 },
]);
