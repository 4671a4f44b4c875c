'use strict';

const { patchBetween } = require('../../server/writer/content/paths');

/** @param {Record<string, any>} map @param {(value: any) => any} change */
const mapOf = (map, change) => Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

/** @param {(bound: number) => number} below @param {ReturnType<typeof import('./declared').fieldMakers>} [own] fields, if the load declares some */
function makers(below, own) {
  const withFields = (/** @type {any} */ row, /** @type {'product' | 'style' | 'sku'} */ kind) =>
    own && below(4) ? { ...row, fields: own[kind]() } : row;
  const text = () => ['', 'a', '"\\', 'ü – ', '\u{1f45f}', 'long '.repeat(40)][below(6)] + below(100);
  const price = () => `${below(300)}${['', '.5', '.25', '.125'][below(4)]}`;
  const list = (/** @type {number} */ max, /** @type {() => any} */ make) => Array.from({ length: below(max) }, make);
  const photo = () => ({ thumbnail_url: `https://x/${below(9)}`, url: `http://x/${below(9)}` });
  const feature = () => ({ feature: text(), value: below(3) ? text() : null });
  const skus = () =>
    Object.fromEntries(
      list(4, () => [
        `new-${below(50)}`,
        withFields({ size: ['S', 'M', '7.5', text()][below(4)], quantity: below(3) }, 'sku'),
      ]),
    );
  const style = () =>
    withFields(
      {
        name: text(),
        original_price: price(),
        'default?': below(2) === 0,
        photos: list(4, photo),
        skus: skus(),
        sale_price: below(2) ? price() : null,
      },
      'style',
    );
  const fields = () => ({
    name: text(),
    slogan: text(),
    description: text(),
    category: text(),
    default_price: price(),
  });
  const product = () =>
    withFields(
      { ...fields(), features: list(4, feature), related: [1, 7].slice(0, below(3)), styles: { new: style() } },
      'product',
    );

  /** @param {any} content changes some of its styles */
  function otherStyles(content) {
    const styles = { ...content.styles };
    for (const [id, each] of Object.entries(styles)) {
      const kind = below(5);
      if (kind === 0) delete styles[id];
      else if (kind === 1) styles[id] = { ...each, sale_price: price(), photos: each.photos.toReversed() };
      else if (kind === 2) styles[id] = { ...each, skus: { ...each.skus, new: { size: text() } } };
      else if (own && kind === 4)
        styles[id] = { ...each, fields: own.style(), skus: mapOf(each.skus, (sku) => withFields(sku, 'sku')) };
      else if (kind === 3) styles[id] = { ...each, skus: Object.fromEntries(Object.entries(each.skus).slice(1)) };
    }
    return below(3) ? styles : { ...styles, new: style() };
  }

  /** @param {any} content @returns {any} */
  const other = (content) => ({
    ...content,
    ...(own && below(2) && { fields: own.product() }),
    ...(below(2) && { name: text(), default_price: price() }),
    ...(below(3) === 0 && { features: list(5, feature) }),
    ...(below(3) === 0 && { related: content.related.toReversed() }),
    styles: below(2) ? otherStyles(content) : content.styles,
  });
  return { product, other };
}

/** @param {any} product */
const contentOf = ({ id, campus, created_at, updated_at, ...content }) => content;

/**
 * Callers who write at random, each to a product that no other one writes.
 * @param {{ call: ReturnType<typeof import('./writer').callerOf>, below: (bound: number) => number, ids: number[], writes: number, callers: number, kept?: number, name?: string, own?: Parameters<typeof makers>[1] }} options
 *   ids: products to begin with; kept: ids up to this one are never deleted; name: of the idempotency keys
 */
async function writeRandomly({ call, below, ids, writes, callers, own, kept = Infinity, name = 'random' }) {
  const { product, other } = makers(below, own);
  /** @type {Map<number, { body: any, revision: number }>} the last acknowledged state of each product */
  const known = new Map();
  for (const id of ids) known.set(id, { body: (await call('GET', `/products/${id}`)).body, revision: 0 });
  /** @type {Set<number>} products with a write under way */
  const busy = new Set();
  let [left, refused] = [writes, 0];

  /** @param {number} id @param {Awaited<ReturnType<typeof call>>} reply */
  const note = (id, { status, headers, body }) => {
    const revision = Number(headers.get('catalog-revision'));
    if (status === 204) known.delete(id);
    else if (status < 300) known.set(id, { body, revision });
    else refused += 1;
  };
  async function caller() {
    while ((left -= 1) >= 0) {
      const kind = below(10);
      const key = { 'Idempotency-Key': `${name}-${left}` };
      const free = [...known.keys()].filter((id) => !busy.has(id));
      const id = free[below(free.length)];
      if (kind < 2 || id === undefined) {
        const made = await call('POST', '/products', product(), key);
        note(made.body.id, made);
        continue;
      }
      busy.add(id);
      const content = contentOf(known.get(id)?.body);
      const any = { 'If-Match': '*', ...key };
      if (kind === 2 && id > kept) note(id, await call('DELETE', `/products/${id}`, undefined, any));
      else if (kind < 6) note(id, await call('PUT', `/products/${id}`, other(content), any));
      else note(id, await call('PATCH', `/products/${id}`, patchBetween(content, other(content)), any));
      busy.delete(id);
    }
  }
  await Promise.all(Array.from({ length: callers }, caller));
  return { known, refused };
}

module.exports = { contentOf, makers, writeRandomly };
