'use strict';

const { requireModule } = require('../../helpers/client');

/** @type {typeof import('../../../server/browser/shop/written.js')} */
const { typedPrice } = requireModule('../../server/browser/shop/written.js');

test.each([
  ['', ''],
  ['49', '49'],
  ['49.90', '49.90'],
  ['49,90', '49.90'],
  ['49,9', '49.9'],
  [' $49,90 ', '49.90'],
  ['49,90 €', '49.90'],
  ['0,125', '0.125'],
  ['1,234', '1234'],
  ['1,234.50', '1234.50'],
  ['1.234,50', '1234.50'],
  ['1 234,50', '1234.50'],
  ['12,345,678', '12345678'],
  ['1234,567', '1234.567'],
  ['1.234', '1.234'],
])('the price %j is read as %j', (text, wanted) => expect(typedPrice(text)).toBe(wanted));

test.each(['cheap', '-1', '1e3', '49,', ',90', '1,2,3', '1.2.3', '1,234,50', '1.234.567', '49,90.10', '9'.repeat(21)])(
  '%j is no price',
  (text) => expect(typedPrice(text)).toBeNull(),
);
