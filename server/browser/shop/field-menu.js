import { useCurrency } from './written.js';

/** @typedef {import('../../client/catalog.js').SearchField} Field @typedef {ReadonlyMap<string, Field>} Fields by name, in declared order */

/** @type {Fields} */
const NONE = new Map();

/**
 * The fields and the currency of the shop, as /catalog has them. They are read once for all views; a failure leaves them out of one view.
 * @param {ReturnType<typeof import('../../client/catalog.js').createCatalog>} catalog
 */
export function createFieldMenu(catalog) {
  /** @type {Promise<Fields> | null} */
  let reading = null;

  const read = () =>
    (reading ??= catalog.menu().then(
      ({ fields = [], shop }) => {
        useCurrency(shop?.currency);
        return new Map(fields.map((field) => [field.name, field]));
      },
      () => {
        reading = null;
        return NONE;
      },
    ));

  /** @param {Fields} known @returns {Promise<Fields | null>} what another load declares; null: the same */
  async function readAgain(known) {
    reading = null;
    const latest = await read();
    return JSON.stringify([...known.values()]) === JSON.stringify([...latest.values()]) ? null : latest;
  }

  return { read, readAgain };
}
