'use strict';

const { patchBetween } = require('../../server/writer/content/paths');
const { buildStale } = require('./stock');

/** @typedef {{ product_id: number, seq: string, kind: string, content: any, before: any }} Revision */

/** A patch as a client sends it: what got an id is new again. @param {any} before @param {any} after @param {Map<number, number>} quantities */
function sendable(before, after, quantities) {
  const patch = patchBetween(before ?? {}, after);
  const named = (/** @type {any} */ had, /** @type {any} */ map, /** @type {(own: any, id: string) => any} */ change) =>
    map &&
    Object.fromEntries(
      Object.entries(map).map(([id, own]) => [own && !had?.[id] ? `new-${id}` : id, own && change(own, id)]),
    );
  const styles = named(before?.styles, patch.styles, (style, styleId) => ({
    ...style,
    ...(style.skus && {
      skus: named(before?.styles[styleId]?.skus, style.skus, (sku, id) =>
        before?.styles[styleId]?.skus[id] ? sku : { ...sku, quantity: quantities.get(Number(id)) ?? 0 },
      ),
    }),
  }));
  return { ...patch, ...(styles && { styles }) };
}

/** Does by hand what was written: to a fresh load, one after the other. @param {import('pg').Client} from @param {Awaited<ReturnType<typeof import('./loaded-writer').createLoaded>>} to */
async function repeat(from, to) {
  const call = await to.serve();
  const { rows: skus } = await from.query('SELECT id, quantity FROM catalog.skus');
  const quantities = new Map(skus.map(({ id, quantity }) => [id, quantity]));
  const { rows: operations } = await from.query(`
    SELECT sku, amount, is_added AS adjusts
    FROM (
      SELECT pos - cardinality(skus) + place AS at, sku, amount, is_added
      FROM catalog_log.stock_log, unnest(skus, amounts, adjusts) WITH ORDINALITY AS operation (sku, amount, is_added, place)
    ) AS logged
    WHERE at NOT IN (SELECT pos FROM catalog_log.stock_rejects) ORDER BY at`);
  if (operations.length > 0) await to.stock(...operations);
  /** @type {{ rows: Revision[] }} */
  const { rows } = await from.query(`
    SELECT write.product_id, write.seq, write.kind, write.content, earlier.content AS before
    FROM catalog_log.revisions AS write
    LEFT JOIN catalog_log.revisions AS earlier ON earlier.product_id = write.product_id AND earlier.revision = write.revision - 1
    WHERE write.seq IS NOT NULL ORDER BY write.seq, write.product_id`);
  const deletions = new Set(rows.flatMap(({ kind, seq }) => (kind === 'delete' ? [seq] : [])));
  for (const { product_id: id, seq, kind, content, before } of rows) {
    const key = { 'Idempotency-Key': `${id}-${seq}` };
    const patch = content && sendable(before, content, quantities);
    const sent =
      kind === 'create'
        ? await call('POST', '/products', patch, key)
        : kind === 'delete'
          ? await call('DELETE', `/products/${id}`, undefined, { 'If-Match': '*' })
          : deletions.has(seq)
            ? { status: 200 }
            : await call('PATCH', `/products/${id}`, patch, key);
    expect([id, seq, sent.status < 300 ? [] : [patch, sent]]).toEqual([id, seq, []]);
  }
}

/** All of a catalog but times, ids and places of listed rows, and numbers of loads. @param {import('pg').Client} client */
async function contentsOf(client) {
  await buildStale(client);
  const all = async (/** @type {string} */ query) => (await client.query({ text: query, rowMode: 'array' })).rows;
  return {
    replies: await all(`
      SELECT id, left(product.head, -95), features, related, content::text, body, digest::text, price, card.head, offer,
        feature_rows, related_rows, style_rows, photo_rows, sku_rows
      FROM catalog.product_documents AS product JOIN catalog.styles_documents USING (id) JOIN catalog.cards AS card USING (id)
      ORDER BY id`),
    products: await all(
      'SELECT id, name, slogan, description, category, default_price FROM catalog.products ORDER BY id',
    ),
    styles: await all(
      'SELECT id, product_id, name, sale_price, original_price, is_default FROM catalog.styles ORDER BY id',
    ),
    skus: await all('SELECT id, style_id, size, quantity FROM catalog.skus ORDER BY id'),
    photos: await all('SELECT style_id, url, thumbnail_url FROM catalog.photos ORDER BY style_id, position'),
    features: await all('SELECT product_id, feature, value FROM catalog.features ORDER BY product_id, position'),
    related: await all('SELECT product_id, related_product_id FROM catalog.related ORDER BY product_id, position'),
  };
}

module.exports = { contentsOf, repeat };
