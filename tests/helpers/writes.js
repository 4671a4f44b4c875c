'use strict';

/** @typedef {'created' | 'updated' | 'deleted' | 'restocked' | 'cards'} ListName */

/** A product with a style and a sku, by id; the name of its style is that of the product. @param {number} count @param {string} [name] */
const stockedProducts = (count, name = 'Product') => `
  INSERT INTO {schema}.products (id, name, slogan, description, category, default_price)
  SELECT i, '${name} ' || i, '-', '-', 'Shoes', 1 FROM generate_series(1, ${count}) AS i;
  INSERT INTO {schema}.styles (id, product_id, name, original_price, is_default)
  SELECT i, i, '${name} ' || i, 1, true FROM generate_series(1, ${count}) AS i;
  INSERT INTO {schema}.skus (id, style_id, size, quantity) SELECT i, i, 'S', 1 FROM generate_series(1, ${count}) AS i;
  INSERT INTO {schema}.related (id, product_id, position, related_product_id)
  SELECT i, i, 1, i % ${count} + 1 FROM generate_series(1, ${count}) AS i;`;

/** What a product is shown from: the columns that have its id and its name, or that of its first style. */
const TEXTS = { product_documents: 'head', styles_documents: 'body', cards: 'head' };

/**
 * Changes documents as the writer's role, and appends a commit. The rows that documents are made from stay as they are.
 * @param {import('pg').Client} client a superuser's
 */
function writesOn(client) {
  /**
   * @param {'content' | 'stock'} kind @param {Partial<Record<ListName, number[]>>} lists
   * @param {[sql: string, values: (number | string)[]][]} statements
   * @returns {Promise<number>} the number of the commit
   */
  async function commit(kind, lists, statements) {
    await client.query('BEGIN; SET LOCAL ROLE catalog_writer');
    for (const [sql, values] of statements) await client.query(sql, values);
    const names = Object.keys(lists).map((name, index) => `, ${name} => $${index + 2}::int[]`);
    const { rows } = await client.query(`SELECT catalog_log.append($1, 1${names.join('')}) AS seq`, [
      ...[kind, ...Object.values(lists)],
    ]);
    await client.query('COMMIT');
    return Number(rows[0].seq);
  }

  return {
    commit,
    /** Product, styles and card get the name. @param {number} id @param {string} name */
    rename: (id, name) =>
      commit(
        'content',
        { updated: [id], cards: [id] },
        Object.entries(TEXTS).map(([table, text]) => [
          `UPDATE catalog.${table} SET ${text} = regexp_replace(${text}, '"name":"[^"]*"', '"name":"' || $2 || '"') WHERE id = $1`,
          [id, name],
        ]),
      ),
    /** @param {number} id @param {number} quantity above 0, so that its card stays */
    restock: (id, quantity) =>
      commit('stock', { restocked: [id] }, [
        [
          `UPDATE catalog.styles_documents SET body = regexp_replace(body, '"quantity":\\d+', '"quantity":' || $2) WHERE id = $1`,
          [id, String(quantity)],
        ],
      ]),
    /** A copy of another product. @param {number} id @param {number} from */
    create: (id, from) =>
      commit(
        'content',
        { created: [id], cards: [id] },
        Object.entries(TEXTS).map(([table, text]) => [
          `INSERT INTO catalog.${table}
           SELECT (jsonb_populate_record(one, jsonb_build_object(
             'id', $1::int, '${text}', regexp_replace(${text}, 'id":"?\\d+', '${text === 'body' ? 'id":"' : 'id":'}' || $1)))).*
           FROM catalog.${table} AS one WHERE id = $2`,
          [id, from],
        ]),
      ),
    /** @param {number} id */
    remove: (id) =>
      commit(
        'content',
        { deleted: [id], cards: [id] },
        Object.keys(TEXTS).map((table) => [`DELETE FROM catalog.${table} WHERE id = $1`, [id]]),
      ),
  };
}

module.exports = { stockedProducts, writesOn };
