'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { generate } = require('../../../scripts/generate/generate');

/** @type {string} */
let folder;
beforeAll(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'generate-dirty-'))));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('a dirty set', () => {
  test.each([
    [400, 1],
    [400, 2],
    [3000, 3],
    [10000, 1],
  ])('of %d products, seed %d, accounts for each row', async (products, seed) => {
    const out = path.join(folder, `dirty-${products}-${seed}`);
    const { files } = await generate({ out, products, seed, dirty: true });
    for (const { loaded, repaired, rejected, rows } of Object.values(files)) {
      const lost = Object.values(rejected).reduce((sum, count) => sum + count, 0);
      expect(loaded + repaired + lost).toBe(rows);
      if (products >= 10000) expect(lost / rows).toBeLessThan(0.01);
    }
  });

  test('has every reason in every file that can have it', async () => {
    const out = path.join(folder, 'reasons');
    const { files } = await generate({ out, products: 400, seed: 4, dirty: true });
    const everywhere = 'missing_fields surplus_fields bad_id nul_byte invalid_utf8 duplicate null_value'.split(' ');
    const more = {
      'product.csv': ['bad_price', 'bad_quotes'],
      'styles.csv': ['bad_price', 'bad_boolean', 'bad_quotes', 'orphan'],
      'photos.csv': ['bad_quotes', 'orphan'],
      'skus.csv': ['bad_quantity', 'bad_quotes', 'orphan'],
      'features.csv': ['bad_quotes', 'orphan'],
      'related.csv': ['orphan'],
    };
    for (const [name, reasons] of Object.entries(more)) {
      expect(Object.keys(files[name].rejected).sort()).toEqual([...everywhere, ...reasons].sort());
      expect(files[name].repaired).toBeGreaterThan(0);
    }
  });

  test('is the same with the same options', async () => {
    const [one, two] = [path.join(folder, 'one'), path.join(folder, 'two')];
    await generate({ out: one, products: 400, seed: 9, dirty: true });
    await generate({ out: two, products: 400, seed: 9, dirty: true });
    for (const name of fs.readdirSync(one)) {
      const same = fs.readFileSync(path.join(one, name)).equals(fs.readFileSync(path.join(two, name)));
      expect({ name, same }).toEqual({ name, same: true });
    }
  });

  test('has the same bytes on every machine', async () => {
    const out = path.join(folder, 'fixed');
    await generate({ out, products: 400, seed: 9, dirty: true });
    const hash = crypto.createHash('sha256');
    for (const name of fs.readdirSync(out).sort()) hash.update(fs.readFileSync(path.join(out, name)));
    // A change of the generator changes it: copy the new one here, and add a line to the changelog.
    expect(hash.digest('hex').slice(0, 16)).toBe('db926dd591089996');
  });
});
