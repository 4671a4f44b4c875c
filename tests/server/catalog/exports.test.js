'use strict';

const { Exports } = require('../../../server/catalog/exports');

/** @param {number} count @param {number} lastId @param {number} loadId @param {number} [changedSeq] */
const piece = (count, lastId, loadId, changedSeq = 0) => ({
  lines: Buffer.from(`${lastId}\n`),
  lastId,
  count,
  loadId,
  changedSeq,
});

/**
 * An export of two pieces.
 * @param {object} options
 * @param {number} [options.laterLoad] of the second @param {number} [options.laterSeq] of the second @param {string} [options.laterVersion]
 */
async function endOf({ laterLoad = 1, laterSeq = 0, laterVersion = 'v1' }) {
  const version = { current: 'v1', lists: { stamp: 'v1.0' } };
  /** @type {string[]} */
  const asked = [];
  const database = {
    exportPiece: async (
      /** @type {string} */ _view,
      /** @type {number} */ afterId,
      /** @type {number} */ _n,
      /** @type {string} */ of,
    ) => {
      asked.push(of);
      return afterId === 0 ? piece(500, 900, 1) : piece(3, 950, laterLoad, laterSeq);
    },
  };
  const { pieces } = await new Exports({ database, version, admit: () => {}, places: 1 }).begin('id', 0);
  let text = '';
  for await (const lines of pieces) {
    text += lines;
    Object.assign(version, { current: laterVersion, lists: { stamp: `${laterVersion}.0` } });
  }
  const { end } = JSON.parse(text.split('\n').at(-2) ?? '');
  return { end, asked };
}

describe('the last line of an export', () => {
  const end = { count: 503, last: 950, catalog_version: 'v1', changed: false };
  test('says that nothing changed', async () => {
    expect(await endOf({})).toEqual({ end, asked: ['v1.0', 'v1.0'] });
  });

  test('reports a new load before its version is known', async () => {
    expect((await endOf({ laterLoad: 2 })).end).toEqual({ ...end, changed: true });
  });

  test('reports a write', async () => {
    expect((await endOf({ laterSeq: 5 })).end).toEqual({ ...end, changed: true });
  });

  test('reports a new version of the same load, and reads the rest of that version', async () => {
    expect(await endOf({ laterVersion: 'v2' })).toEqual({ end: { ...end, changed: true }, asked: ['v1.0', 'v2.0'] });
  });
});

test('an export whose first read fails leaves its place, and one that is not admitted takes none', async () => {
  let isAway = true;
  let isLate = false;
  const database = {
    exportPiece: async () => {
      if (isAway) throw new Error('away');
      return piece(1, 1, 1);
    },
  };
  const admit = () => {
    if (isLate) throw new Error('late');
  };
  const exported = new Exports({ database, version: { current: 'v', lists: { stamp: 'v.0' } }, admit, places: 1 });
  const begin = () => exported.begin('id', 0);
  await expect(begin()).rejects.toThrow('away');
  [isAway, isLate] = [false, true];
  await expect(begin()).rejects.toThrow('late');
  isLate = false;
  const { release } = await begin();
  await expect(begin()).rejects.toMatchObject({ status: 503 });
  release();
  await expect(begin()).resolves.toMatchObject({ version: 'v' });
});
