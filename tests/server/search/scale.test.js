'use strict';

const { readRange, shownValue } = require('../../../server/core/field-range');
const { compareTexts } = require('../../../server/core/decimals');
const { Turn, TurnQueue } = require('../../../server/search/query-context');
const { Ids } = require('../../../server/search/orders/ids');
const { Order } = require('../../../server/search/orders/order');
const { Scale } = require('../../../server/search/orders/scale');
const { ScaleValues } = require('../../../server/search/orders/scale-values');

/** @param {string} text lines of a blob @param {number} ranks */
const valuesOf = (text, ranks) =>
  ScaleValues.parse(Buffer.from(text), { name: 'values.x', ranks, compare: compareTexts, pause: async () => {} });

test.each([
  ['number', '12.50', '12.5', '12.5'],
  ['number', '-1..', '-1', null],
  ['number', '..007', null, '7'],
  ['date', '2026-01-31', '2026-01-31', '2026-01-31U'],
  ['date', '2026-01-31T01:00+01:00', '2026-01-31', '2026-01-31'],
  ['date', '2026-01-31T23:30:00.5-01:00..', '2026-02-01T00:30:00.5', null],
  ['date', '..0001-01-01T00:00+14:00', null, '0001-01-01'],
  ['date', '9999-12-31T23:59-10:00..', '9999-12-31T23:59:59', null],
])('the %s filter %s is from %s to %s', (type, text, min, max) => {
  expect(readRange('field.x', /** @type {'number' | 'date'} */ (type), text)).toEqual({ min, max });
});

test.each([
  ['number', ['', '..', '1..2..3', '1...5', '5..a', '1e3', '+1', '1,5', '0x1', '1'.repeat(21)]],
  [
    'date',
    ['2026', '2026-02-29', '2026-13-01', '0000-01-01', '2026-01-31T24:00', '2026-01-31 10:00', '31.01.2026', '..x'],
  ],
])('other texts than values of a %s are refused', (type, texts) => {
  for (const text of texts)
    expect(() => readRange('field.x', /** @type {'number' | 'date'} */ (type), text)).toThrow(
      `field.x must be a ${type}`,
    );
});

test.each([
  ['2026-01-31', undefined, '2026-01-31'],
  ['2026-01-31', '2026-02-01T08:00:00', '2026-01-31'],
  ['2026-01-31', '2026-01-31T08:00:00', '2026-01-31T00:00:00Z'],
  ['2026-01-31T08:00:00.5', undefined, '2026-01-31T08:00:00.5Z'],
])('the moment %s before %s is shown as %s, which finds it alone', (value, next, shown) => {
  expect(shownValue('date', value, next)).toBe(shown);
  expect(readRange('field.x', 'date', shown).min).toBe(value);
});

test('equal values of a scale are in one band', async () => {
  const values = await valuesOf('a\t0\nb\t15\nc\t19\n', 20);
  expect(values.bandEdges()).toEqual([0, 15, 20]);
  expect([values.at(14), values.at(15), values.behind(19)]).toEqual(['a', 'b', undefined]);
  expect((await valuesOf('', 0)).bandEdges()).toEqual([0]);
});

test('a scale has each product once for each of its values, after writes too', async () => {
  const cache = { derived: (/** @type {string} */ _, /** @type {() => any} */ make) => make() };
  const order = new Order('x', Int32Array.of(0, 2, 0, 1, 3), cache, { size: 5, isWhole: false });
  const scale = new Scale('x', order, await valuesOf('a\t0\nb\t2\nd\t4\n', 5), compareTexts, true);
  const ids = new Ids(Int32Array.of(10, 20, 30, 40), [25]);
  const options = { ids, size: 5, cache, turn: new Turn(new TurnQueue()) };
  const changes = [
    { value: 'b', ordinal: 4, isIn: true },
    { value: 'd', ordinal: 3, isIn: false },
    { value: 'c', ordinal: 1, isIn: true },
    { value: 'a', ordinal: 0, isIn: false },
    { value: 'a', ordinal: 4, isIn: true },
  ];
  const changed = await scale.changed(changes, options);
  expect([...changed.order.ordinals]).toEqual([4, 2, 0, 1, 4, 1]);
  expect(changed.values.ranksWithin('b', 'c')).toEqual({ from: 2, to: 6 });
  expect([changed.values.length, scale.values.length, [...order.ordinals]]).toEqual([3, 3, [0, 2, 0, 1, 3]]);
});
