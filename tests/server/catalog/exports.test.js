'use strict';

const { Exports } = require('../../../server/catalog/exports');

/** @param {number} count @param {number} lastId @param {number} loadId @param {number} [changedSeq] */
const piece = (count, lastId, loadId, changedSeq = 0, mixed = false) => ({
  lines: Buffer.from(`${lastId}\n`),
  lastId,
  count,
  loadId,
  changedSeq,
  mixed,
});

/** @param {string} stamp of lists; that of lists with styles ends with ! @returns {any} */
const listsOf = (stamp) => ({
  stampOf: (/** @type {string} */ include) => (include.includes('styles') ? `${stamp}!` : stamp),
});

/**
 * An export of two pieces.
 * @param {object} options
 * @param {number} [options.laterLoad] of the second @param {number} [options.laterSeq] of the second @param {string} [options.laterVersion]
 */
async function endOf({ laterLoad = 1, laterSeq = 0, laterVersion = 'v1' }) {
  const version = { current: 'v1', lists: listsOf('v1.0') };
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
    Object.assign(version, { current: laterVersion, lists: listsOf(`${laterVersion}.0`) });
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
  const exported = new Exports({ database, version: { current: 'v', lists: listsOf('v.0') }, admit, places: 1 });
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

describe('a full export', () => {
  /** @param {boolean[]} mixed of its reads */
  const begin = (mixed) => {
    /** @type {any[]} */
    const asked = [];
    const exportPiece = async (/** @type {any[]} */ ...args) => {
      asked.push(args);
      return piece(1, 1, 1, 0, mixed[asked.length - 1]);
    };
    const version = { current: 'v', lists: listsOf('v.0') };
    const begun = new Exports({ database: { exportPiece }, version, admit: () => {}, places: 1 }).begin('full', 0);
    return { asked, begun };
  };

  test('reads smaller pieces, of the stamp that moves with stock', async () => {
    const { asked, begun } = begin([false]);
    await begun;
    expect(asked).toEqual([['full', 0, 125, 'v.0!']]);
  });

  test('reads a piece of two loads again', async () => {
    const { asked, begun } = begin([true, true, false]);
    await begun;
    expect(asked).toHaveLength(3);
  });

  test('is refused with 503 where each read is of two loads', async () => {
    await expect(begin([true, true, true]).begun).rejects.toMatchObject({ status: 503 });
  });
});
