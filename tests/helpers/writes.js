'use strict';

const { documentSql } = require('./database');

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

/** The tables of a product, and the column that has its id where each has one row. */
const ROWS = { products: 'id', styles: 'id', skus: 'id', related: 'product_id' };

/**
 * Changes rows of `stockedProducts` and their documents as the writer's role, and appends a commit.
 * @param {import('pg').Client} client a superuser's
 */
function writesOn(client) {
  /**
   * @param {Partial<Record<ListName, number[]>>} lists of content, whose documents are made again, or of stock
   * @param {[sql: string, values: any[]][]} statements
   * @returns {Promise<number>} the number of the commit
   */
  async function commit(lists, statements) {
    const { restocked, ...content } = lists;
    await client.query('BEGIN; SET LOCAL ROLE catalog_writer');
    for (const [sql, values] of statements) await client.query(sql, values);
    const [{ load_id: load }] = (await client.query('SELECT load_id FROM catalog_meta.data_version')).rows;
    const ids = Object.values(content).flat();
    if (!restocked) await client.query(documentSql('rebuild', 'catalog'), [ids, 'hr-lax', load, new Date()]);
    const names = Object.keys(lists).map((name, index) => `${name} => $${index + 3}::int[], `);
    const { rows } = await client.query(
      `SELECT catalog_log.append($1, $2, ${names.join('')}seen => (SELECT seq FROM catalog_log.head)) AS seq`,
      [restocked ? 'stock' : 'content', load, ...Object.values(lists)],
    );
    await client.query('COMMIT');
    return Number(rows[0].seq);
  }

  return {
    /** Product, styles and card get the name. @param {number} id @param {string} name */
    rename: (id, name) =>
      commit({ updated: [id], cards: [id] }, [
        ['UPDATE catalog.products SET name = $2 WHERE id = $1', [id, name]],
        ['UPDATE catalog.styles SET name = $2 WHERE product_id = $1', [id, name]],
      ]),
    /** Leaves its styles reply stale. @param {number} id @param {number} quantity above 0, so that its card stays */
    restock: (id, quantity) =>
      commit({ restocked: [id] }, [['UPDATE catalog.skus SET quantity = $2 WHERE style_id = $1', [id, quantity]]]),
    /** A copy of another product. @param {number} id @param {number} from */
    create: (id, from) =>
      commit(
        { created: [id], cards: [id] },
        Object.entries(ROWS).map(([table, key]) => copied(table, key, id, from)),
      ),
    /** @param {number} id */
    remove: (id) =>
      commit(
        { deleted: [id], cards: [id] },
        Object.entries(ROWS).map(([table, key]) => removed(table, key, id)),
      ),
  };
}

/** @param {string} table @param {string} key @param {number} id @returns {[string, any[]]} */
const removed = (table, key, id) => [`DELETE FROM catalog.${table} WHERE ${key} = $1`, [id]];

/** All ids of its row become the new one. @param {string} table @param {string} key @param {number} id @param {number} from @returns {[string, any[]]} */
const copied = (table, key, id, from) => [
  `INSERT INTO catalog.${table} SELECT (jsonb_populate_record(one,
     jsonb_build_object('id', $1::int, 'product_id', $1::int, 'style_id', $1::int))).* FROM catalog.${table} AS one WHERE ${key} = $2`,
  [id, from],
];

module.exports = { stockedProducts, writesOn };
