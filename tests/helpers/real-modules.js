'use strict';

/* The workers require this ES module, too, which Jest's own require refuses. */
jest.mock('../../server/client/words.js', () =>
  require('./require-module').requireModule('../../server/client/words.js'),
);
