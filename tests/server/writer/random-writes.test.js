'use strict';

const { createRandom } = require('../../../scripts/generate/random');
const { patchBetween, changedPaths } = require('../../../server/writer/content/paths');
const { merge } = require('../../../server/writer/content/merge');
const { ordered } = require('../../../server/writer/content/shape');
const { DECLARED_ROWS, fieldMakers } = require('../../helpers/declared');
const { contentOf, makers, writeRandomly } = require('../../helpers/random-writes');
const { failedChecks, serveWriter } = require('../../helpers/writer');

const SEED = 20261126;
const WRITES = 300;
const CALLERS = 8;

describe.each([
  ['without fields', undefined, () => undefined],
  ['with fields', DECLARED_ROWS, fieldMakers],
])('a load %s', (_, initial, makersOf) => {
  const served = serveWriter(initial);

  test(`after ${WRITES} random writes (seed ${SEED}), documents equal rows and revisions`, async () => {
    const below = createRandom(SEED);
    // 1 and 7 are in the related lists of new products.
    const ids = [1, 2, 4, 5, 7];
    const { known, refused } = await writeRandomly({
      call: served.call,
      below,
      ids,
      writes: WRITES,
      callers: CALLERS,
      kept: 7,
      own: makersOf(below),
    });

    expect(refused).toBe(0);
    expect(await failedChecks(served.catalog.client)).toEqual([]);
    for (const [id, { body, revision }] of known) {
      expect((await served.call('GET', `/products/${id}`)).body).toEqual(body);
      if (revision === 0) continue;
      const kept = await served.call('GET', `/products/${id}/revisions/${revision}`);
      expect(kept.body.content).toEqual(contentOf(body));
    }
    const { rows } = await served.catalog.client.query(`
      SELECT array_agg(seq::int ORDER BY seq) = array_agg(row_number ORDER BY row_number) AS is_gapless, count(*)::int AS commits
      FROM (SELECT seq, (row_number() OVER (ORDER BY seq))::int FROM catalog_log.commits) AS numbered`);
    expect(rows[0].is_gapless).toBe(true);
    // Each write has stored its styles reply, so none is made from the rows at a read.
    const stale = await served.catalog.client.query(
      'SELECT id FROM catalog.product_state WHERE built_seq < styles_seq',
    );
    expect(stale.rows).toEqual([]);
    expect(rows[0].commits).toBeGreaterThan(WRITES / 10);
  }, 120_000);
});

test('a merge patch between two contents makes the one of the other', () => {
  const below = createRandom(SEED + 1);
  const { product, other } = makers(below, fieldMakers(below));
  const plain = (/** @type {unknown} */ value) => JSON.parse(JSON.stringify(value));
  for (let round = 0; round < 300; round += 1) {
    const before = plain(product());
    const after = below(3) ? plain(other(before)) : plain(product());
    expect(ordered(merge(before, patchBetween(before, after)))).toEqual(ordered(after));
    expect(changedPaths(before, after).length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
  }
});
