'use strict';

const { POINTS, createKilledStock } = require('../../helpers/killed-stock');

const KILLS = 100;
const POINT_NAMES = /** @type {(keyof typeof POINTS)[]} */ (Object.keys(POINTS));

test('a hundred kills lose no stock that was acknowledged, and do nothing twice', async () => {
  const stock = await createKilledStock();
  try {
    for (let kill = 0; kill < KILLS; kill += 1) {
      if (kill % 20 === 19) await stock.killPostgres();
      else await stock.killWriter(POINT_NAMES[kill % 6]); // half of them at random
    }
    expect(await stock.defects()).toEqual([]);
  } finally {
    await stock.close();
  }
}, 900_000);
