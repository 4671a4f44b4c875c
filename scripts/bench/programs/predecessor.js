'use strict';
/*
 * The service that this one grew from, rebuilt from the description of its authors (scripts/bench/DECISIONS.md): Express, a
 * pool, live queries that Node puts together, Redis holding JSON that is parsed and serialised again for each reply.
 * Usage: node predecessor.js PORT, with DATABASE_URL and REDIS_URL.
 */
const express = require('express');
const { Redis } = require('ioredis');
const { Pool } = require('pg');

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
const redis = new Redis(String(process.env.REDIS_URL).replace(/^unix:\/\//, ''));
const secondsToLive = 3600;

const sql = {
  // Its pages begin after an id, as if ids had no gaps.
  products: 'SELECT * FROM catalog.products WHERE id > $2 ORDER BY id LIMIT $1',
  product: 'SELECT * FROM catalog.products WHERE id = $1',
  features: 'SELECT feature, value FROM catalog.features WHERE product_id = $1 ORDER BY position',
  related: 'SELECT related_product_id FROM catalog.related WHERE product_id = $1 ORDER BY position',
  styles: `
    SELECT s.id AS style_id, s.name, s.original_price, s.sale_price, s.is_default AS "default?",
      (SELECT json_agg(json_build_object('thumbnail_url', thumbnail_url, 'url', url) ORDER BY position)
       FROM catalog.photos WHERE style_id = s.id) AS photos,
      (SELECT json_object_agg(id, json_build_object('quantity', quantity, 'size', size))
       FROM catalog.skus WHERE style_id = s.id) AS skus
    FROM catalog.styles s WHERE s.product_id = $1 ORDER BY s.id`,
};

/** @param {string} name @param {unknown[]} values */
const rows = async (name, values) => (await pool.query(sql[/** @type {keyof typeof sql} */ (name)], values)).rows;

/** @param {string} key @param {() => Promise<unknown>} load */
async function cached(key, load) {
  const hit = await redis.get(key);
  if (hit) return JSON.parse(hit);
  const value = await load();
  await redis.set(key, JSON.stringify(value), 'EX', secondsToLive);
  return value;
}

const app = express();
app.get('/products', async (request, response) => {
  const page = Number(request.query.page ?? 1);
  const count = Number(request.query.count ?? 5);
  response.json(await cached(`list:${page}:${count}`, () => rows('products', [count, (page - 1) * count])));
});
app.get('/products/:id', async ({ params: { id } }, response) => {
  const load = async () => {
    const [[product], features] = await Promise.all([rows('product', [id]), rows('features', [id])]);
    return { ...product, features };
  };
  response.json(await cached(`product:${id}`, load));
});
app.get('/products/:id/styles', async ({ params: { id } }, response) => {
  const load = async () => ({ product_id: id, results: await rows('styles', [id]) });
  response.json(await cached(`styles:${id}`, load));
});
app.get('/products/:id/related', async ({ params: { id } }, response) => {
  const load = async () => (await rows('related', [id])).map((row) => row.related_product_id);
  response.json(await cached(`related:${id}`, load));
});
app.listen(Number(process.argv[2]), '127.0.0.1');
