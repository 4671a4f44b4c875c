'use strict';

const { testTypos } = require('../../helpers/search-python');

testTypos([
  { products: 24, queries: 50, seed: 27 },
  { products: 300, queries: 250, seed: 22 },
]);
