'use strict';

const { POINTS, createKilledStock } = require('../../helpers/killed-stock');

/** @type {Awaited<ReturnType<typeof createKilledStock>>} */
let stock;
beforeEach(async () => {
  stock = await createKilledStock();
}, 60_000);
afterEach(() => stock?.close());

test('a writer that is killed, also in the middle of each step, loses no stock that it acknowledged, and does nothing twice', async () => {
  for (const point of [undefined, .../** @type {(keyof typeof POINTS)[]} */ (Object.keys(POINTS))])
    await stock.killWriter(point);
  expect(await stock.defects()).toEqual([]);
}, 120_000);

test('a PostgreSQL that is killed loses no stock that was acknowledged, and the writer goes on by itself', async () => {
  await stock.killPostgres();
  expect(await stock.defects()).toEqual([]);
}, 120_000);
