'use strict';

const { highestPrice, lowestPrice, minorUnits, priceOf } = require('../../server/core/money');

test.each([
  ['12.34', 'EUR', 1234],
  ['1.005', 'EUR', 101],
  ['1.0049999', 'EUR', 100],
  ['0.995', 'EUR', 100],
  ['7', 'EUR', 700],
  ['140.50', 'JPY', 141],
  ['140.49', 'JPY', 140],
  ['1.2345', 'KWD', 1235],
  ['1.23456', 'CLF', 12346],
  ['2.5', 'IQD', 2500],
  ['1000000000000000000', 'EUR', Number.MAX_SAFE_INTEGER],
])('%s %s is %d in minor units', (price, currency, amount) => expect(minorUnits(price, currency)).toBe(amount));

test.each([
  [5, 'EUR', '0.05'],
  [1234, 'EUR', '12.34'],
  [141, 'JPY', '141'],
  [1, 'KWD', '0.001'],
])('%d minor units of %s are %s', (amount, currency, price) => expect(priceOf(amount, currency)).toBe(price));

test.each(['EUR', 'JPY', 'KWD', 'CLF'])(
  'bounds of an amount of %s are the outermost prices shown as it',
  (currency) => {
    for (const amount of [0, 1, 99, 100, 12_345]) {
      const [least, most] = [lowestPrice(amount, currency), highestPrice(amount, currency)];
      expect([minorUnits(least, currency), minorUnits(most, currency)]).toEqual([amount, amount]);
      expect(most).toMatch(/^\d+\.\d{18}$/);
      const after = minorUnits(
        most.replace(/49+$/, (end) => `5${'0'.repeat(end.length - 1)}`),
        currency,
      );
      expect(after).toBe(amount + 1);
    }
  },
);
