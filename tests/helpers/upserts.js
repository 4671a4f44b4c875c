'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { createRandom } = require('../../scripts/generate/random');
const { repliesOf } = require('./exported-catalogs');
const { createLoaded } = require('./loaded-writer');
const { randomModel, writeModel } = require('./parts');

/** Two databases: parts are brought into one, and their merged files are loaded into the other. @param {{ products: number, seed: number }} options */
async function beginParts({ products, seed }) {
  const below = createRandom(seed);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'parts-'));
  const model = randomModel(below, products);
  const [here, elsewhere] = [await createLoaded(), await createLoaded()];
  let folders = 0;
  /** @param {(folder: string) => void} write @returns {string} */
  const folder = (write) => {
    const made = path.join(dir, String((folders += 1)));
    write(made);
    return made;
  };
  /** @param {typeof here} loaded @param {string[]} words */
  const succeed = async (loaded, ...words) => {
    const { status, said } = await loaded.load(...words);
    if (status !== 0) throw new Error(`${words.join(' ')}: ${said}`);
  };
  await succeed(
    here,
    'load',
    folder((made) => writeModel(made, model)),
  );
  await here.serveAt(['content', 'stock']);
  return {
    /** Brings a random part in. @param {typeof import('./parts').writePart} write @returns {Promise<string>} its folder */
    async upsert(write) {
      const part = folder((made) => write(made, model, below));
      await this.again(part);
      return part;
    },
    again: (/** @type {string} */ part) => succeed(here, 'upsert', part, '--max-reject', '50'),
    verify: () => succeed(here, 'verify'),
    replies: () => repliesOf(here),
    /** Those of a load of the merged files. */
    async merged() {
      await succeed(
        elsewhere,
        'load',
        folder((made) => writeModel(made, model)),
      );
      return repliesOf(elsewhere);
    },
    async commits() {
      const { rows } = await here.client.query('SELECT count(*)::int AS count FROM catalog_log.commits');
      return rows[0].count;
    },
    async end() {
      await Promise.all([here.drop(), elsewhere.drop()]);
      fs.rmSync(dir, { recursive: true });
    },
  };
}

module.exports = { beginParts };
