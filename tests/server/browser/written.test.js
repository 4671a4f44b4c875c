'use strict';

const { requireModule } = require('../../helpers/client');

/** @type {typeof import('../../../server/browser/shop/written.js')} */
const { moment, range, typedNumber, typedPrice } = requireModule('../../server/browser/shop/written.js');

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

test.each([
  ['', ''],
  ['12.5', '12.5'],
  [' -12,5', '-12.5'],
  ['−1,234', '-1234'],
])('the number %j is read as %j', (text, wanted) => expect(typedNumber(text)).toBe(wanted));

test.each(['heavy', '-', '--1', '1e3'])('%j is no number', (text) => expect(typedNumber(text)).toBeNull());

test.each([
  ['2016-07-02', '2016-07-02'],
  ['2016-07-02T09:15+02:00', '2016-07-02 09:15 +02:00'],
  ['2016-07-02T09:15:30.5Z', '2016-07-02 09:15 UTC'],
  ['2016-07-02T09:15', '2016-07-02 09:15 UTC'],
  ['a day in 2016-07-02T09:15Z', 'a day in 2016-07-02T09:15Z'],
])('the date %s is shown as %s', (text, wanted) => expect(moment(text)).toBe(wanted));

test.each([
  ['1', '5', '1 – 5'],
  ['1', '1', '1'],
  ['1', '', 'From 1'],
  [null, '5', 'Up to 5'],
])('the range from %j to %j is shown as %j', (from, to, wanted) => expect(range(from, to, String)).toBe(wanted));
