'use strict';

const { testTypos } = require('../../helpers/search-python');

testTypos([
  { products: 60, queries: 500, seed: 31 },
  { products: 300, queries: 1000, seed: 32 },
  { products: 900, queries: 500, seed: 33 },
]);
