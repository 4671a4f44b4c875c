'use strict';

/**
 * @typedef {object} Field of a shop's own, as fields.json declares it (db/fields.schema.json)
 * @property {string} name
 * @property {'text' | 'number' | 'boolean' | 'date' | 'list'} type
 * @property {string} column its name in the header
 * @property {string | null} separator of a list
 * @property {boolean} facet
 * @property {'name' | 'attribute' | 'text' | null} search
 * @property {boolean} card
 * @property {boolean} sort
 * @property {boolean} lookup
 * @property {'reject' | 'drop'} invalid
 */
/** @typedef {Record<'products' | 'styles' | 'skus', Map<string, Field>>} Declaration in declared order */

/** Those of stored declarations, which are the same object while their version is. @type {WeakMap<object, Declaration>} */
const known = new WeakMap();

/** @param {import('../store/servers/watcher').Declared} declared @returns {Declaration} */
function declarationOf(declared) {
  let declaration = known.get(declared);
  if (!declaration) {
    /** @param {Record<string, object>} fields */
    const mapOf = (fields) =>
      new Map(Object.entries(fields).map(([name, members]) => [name, /** @type {Field} */ ({ name, ...members })]));
    const { products, styles, skus } = declared;
    known.set(declared, (declaration = { products: mapOf(products), styles: mapOf(styles), skus: mapOf(skus) }));
  }
  return declaration;
}

/** The fields of the load that is served, read with its data version. */
class Declarations {
  #version;

  /** @param {{ declared?: import('../store/servers/watcher').Declared | null }} version */
  constructor(version) {
    this.#version = version;
  }

  /** @returns {Declaration | null} the same object for one version; null: the load declares none */
  get current() {
    const { declared } = this.#version;
    return declared ? declarationOf(declared) : null;
  }
}

exports.Declarations = Declarations;
exports.declarationOf = declarationOf;
