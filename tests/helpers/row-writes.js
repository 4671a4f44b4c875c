'use strict';

const { CAMPUS, documentSql } = require('./database');

/** @typedef {{ id: number, kind: string | null, has_card: boolean }} Changed a row of rebuild.sql */

/**
 * Writes rows as the writer does: with their documents, their cards and a commit, in one transaction.
 * @param {import('pg').Client} client a superuser's
 */
function rowWritesOn(client) {
  const rebuild = documentSql('rebuild', 'catalog');

  /** @param {number[]} ids of the products @param {string} sql @returns {Promise<number>} the number of the commit */
  return async function write(ids, sql) {
    await client.query('BEGIN; SET LOCAL ROLE catalog_writer');
    await client.query(sql);
    const [{ load_id: load }] = (await client.query('SELECT min(load_id) AS load_id FROM catalog.cards')).rows;
    /** @type {Changed[]} */
    const changed = (await client.query(rebuild, [ids, CAMPUS, load, new Date()])).rows;
    const of = (/** @type {string} */ wanted) => changed.filter(({ kind }) => kind === wanted).map(({ id }) => id);
    const cards = changed.filter(({ kind, has_card: hasCard }) => hasCard || kind === 'deleted').map(({ id }) => id);
    const kinds = ['created', 'updated', 'deleted', 'restocked'].map(of);
    const kind = kinds.slice(0, 3).flat().length > 0 ? 'content' : 'stock';
    const { rows } = await client.query('SELECT catalog_log.append($1, $2, $3, $4, $5, $6, $7) AS seq', [
      kind,
      load,
      ...kinds,
      cards,
    ]);
    await client.query('COMMIT');
    return Number(rows[0].seq);
  };
}

/** All products as the rows have them. @param {import('pg').Client} client @returns {Promise<import('./search-products').Product[]>} */
async function readProducts(client) {
  const exact = (/** @type {string} */ table) => `(
    SELECT coalesce(json_object_agg(key, CASE json_typeof(value) WHEN 'number' THEN to_json(value #>> '{}') ELSE value END), '{}')
    FROM json_each(${table}.fields)
  )`;
  const { rows } = await client.query(`
    SELECT
      id, name, slogan, description, category, offer::json ->> 'price' AS price,
      (SELECT coalesce(bool_or(sale_price < original_price), false) FROM catalog.styles WHERE product_id = products.id) AS "onSale",
      (
        SELECT coalesce(json_agg(json_build_object('name', feature, 'value', value)), '[]')
        FROM catalog.features WHERE product_id = products.id
      ) AS features,
      (
        SELECT coalesce(json_agg(json_build_object('name', name, 'fields', ${exact('styles')}, 'skus', (
          SELECT coalesce(json_agg(json_build_object('size', size, 'quantity', quantity, 'fields', ${exact('skus')})), '[]')
          FROM catalog.skus WHERE style_id = styles.id
        ))), '[]')
        FROM catalog.styles WHERE product_id = products.id
      ) AS styles,
      ${exact('products')} AS fields
    FROM catalog.products JOIN catalog.cards USING (id)
    ORDER BY id`);
  return rows;
}

module.exports = { readProducts, rowWritesOn };
