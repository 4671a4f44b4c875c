const isPrice = (/** @type {unknown} */ value) => /^\d+\.\d{2,}$/.test(String(value));

/** The order of keys is part of the contract. A shop may have fields of its own, which are not of each product. */
const keysOf = ({ fields, ...value }) => Object.keys(value).join();

const listKeys = 'id,campus,name,slogan,description,category,default_price,created_at,updated_at';
const offerKeys = 'price,max_price,original_price,on_sale,in_stock,sizes,styles,thumbnail_url';
const cardKeys = 'id,name,slogan,category,default_price,offer';
const styleKeys = 'style_id,name,original_price,sale_price,default?,photos,skus';

const skuKeys = 'id,product_id,style_id,product,style,size,quantity,price,original_price,on_sale,thumbnail_url';

const isStyle = (style) =>
  keysOf(style) === styleKeys &&
  isPrice(style.original_price) &&
  style.photos.length > 0 &&
  Object.values(style.skus).every((sku) => keysOf(sku) === 'quantity,size');

const isOffer = (offer) => keysOf(offer) === offerKeys && isPrice(offer.price);

const isSku = (sku, id) =>
  sku.id === id && keysOf(sku) === skuKeys && [sku.price, sku.original_price].every(isPrice) && sku.quantity >= 0;

/**
 * The products, skus or rows of a request, and a part of their MD5 if the runner has read the digests from the database.
 * @typedef {{ id?: number, ids?: number[], page?: number, count?: number, leastId?: number, digest?: number, q?: string,
 *   category?: string, rows?: number, after?: number, status?: number, kind?: string, type?: string }} Wanted
 */

const isCard = (card) => keysOf(card) === cardKeys && isOffer(card.offer);

const isDescending = (values) => values.every(({ count }, n) => count > 0 && (n === 0 || count <= values[n - 1].count));

/** @param {string} text @returns {string} what is left of it without case, accents and signs */
const plain = (text) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');

/** A word is shown as the catalog writes it. Letters beyond ASCII are another matter than their order. @param {string} value @param {string} q */
const completes = (value, q) => plain(value).startsWith(plain(q)) || /[^ -~]/.test(value + q);

/** The number of products is in two places: those of the selected category are all that are found. */
function isSearch({ total, items, next, query, facets }, { category, page, count }) {
  const [categories] = facets;
  const ofCategory = categories.values.find(({ selected }) => selected);
  return (
    facets.map(({ name }) => name).join() === 'category,price,size,on_sale,in_stock' &&
    items.length === Math.min(count, Math.max(0, total - (page - 1) * count)) &&
    (next === null) === total <= page * count &&
    items.every((card) => isCard(card) && (category === undefined || card.category === category)) &&
    (category === undefined ? total > 0 && query.ignored.length === 0 : ofCategory.count === total)
  );
}

const isVariant = ({ id, title, price, availability, options }) =>
  [id, title].every((text) => typeof text === 'string') &&
  Number.isInteger(price.amount) &&
  typeof availability.available === 'boolean' &&
  Array.isArray(options);

const isForAgents = ({ price_range: { min, max }, variants }) =>
  min.amount <= max.amount && variants.length > 0 && variants.every(isVariant);

/** Answers of UCP, by operation. @type {Record<string, (body: any, wanted: Wanted) => boolean>} */
const ucpShapes = {
  search: ({ products, pagination }, { count }) =>
    products.length <= count &&
    products.length <= pagination.total_count &&
    pagination.has_next_page === products.length < pagination.total_count &&
    products.every((one) => isForAgents(one) && one.variants.length === 1),
  lookup: ({ products, messages }, { ids }) =>
    messages === undefined &&
    products.length === new Set(ids).size &&
    products.every((one) => isForAgents(one) && ids.includes(Number(one.id.slice('product-'.length)))),
  product: ({ product }, { id }) => product.id === `product-${id}` && isForAgents(product),
};
/** @param {any} body @param {Wanted} wanted */
const isUcp = (body, wanted) =>
  wanted.status === 404 || (body.ucp.status === 'success' && ucpShapes[wanted.kind](body, wanted));

/** An export has JSON in lines; a sitemap is XML, whose outline is enough. @param {string} route @param {string} text */
export function parsed(route, text) {
  if (route === 'sitemap' || route === 'feed') return text;
  if (route !== 'export') return JSON.parse(text);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/**
 * Shapes of correct bodies, so that a fast wrong answer does not count as an answer.
 * @type {Record<string, (body: any, wanted: Wanted) => boolean>}
 */
export const shapes = {
  products: (body, { count }) =>
    body.length === count && body.every((one, n) => keysOf(one) === listKeys && (n === 0 || one.id > body[n - 1].id)),
  product: (body, { id }) =>
    body.id === id &&
    keysOf(body) === `${listKeys},features` &&
    isPrice(body.default_price) &&
    body.features.every((one) => keysOf(one) === 'feature,value'),
  styles: (body, { id }) => body.product_id === String(id) && body.results.every(isStyle),
  batch: (body, { ids }) =>
    body.length === ids.length &&
    body.every((one, n) => one.id === ids[n] && keysOf(one) === `${listKeys},offer` && isOffer(one.offer)),
  included: (body, { id }) =>
    body.id === id &&
    keysOf(body) === `${listKeys},features,offer,styles,related` &&
    isOffer(body.offer) &&
    body.styles.every(isStyle) &&
    body.related.every((card) => isCard(card) && card.id !== id),
  sku: (body, { id }) => isSku(body, id),
  skus: (body, { ids }) => body.length === ids.length && body.every((one, n) => isSku(one, ids[n])),
  search: (body, wanted) => keysOf(body) === 'total,items,next,query,facets' && isSearch(body, wanted),
  suggest: ({ words, categories, cards, ...rest }, { q }) =>
    keysOf(rest) === '' &&
    words.length > 0 &&
    words.every(({ value }) => completes(value, q)) &&
    [words, categories].every(isDescending) &&
    cards.length > 0 &&
    cards.every(isCard),
  catalog: ({ shop, ...body }, { rows }) =>
    keysOf(body) === 'products,price,facets,sorts,limits' &&
    body.products === rows &&
    (body.price === null || isPrice(body.price.min)),
  export: (lines, { after }) => {
    const [cards, [{ end }]] = [lines.slice(0, -1), lines.slice(-1)];
    const ascends = cards.every(({ id }, n) => id > (n === 0 ? after : cards[n - 1].id));
    return ascends && cards.every(isCard) && end.count === cards.length;
  },
  related: (body) => body.every((id) => Number.isInteger(id) && id > 0),
  sitemap: (text) => text.length > 0,
  feed: () => true,
  ucp: isUcp,
  mcp: ({ result }, wanted) =>
    wanted.status === 404 ||
    (isUcp(result.structuredContent, wanted) && result.content[0].text === JSON.stringify(result.structuredContent)),
};

const isShopless = (text) => text.includes(':without-shop"');

/**
 * The same body by its text: does it belong to this product, and is it complete? Parsing a body costs k6 several times
 * what sending it costs the service, which shows in the latencies if both share a machine.
 * @type {Record<string, (text: string, wanted: Wanted) => boolean>}
 */
export const outlines = {
  // A quote in a text is escaped, so only a product begins like this.
  products: (text, { count, leastId }) =>
    text.startsWith('[{"id":') &&
    parseInt(text.slice(7, 18), 10) >= leastId &&
    /["}]\}\]$/.test(text) &&
    text.split('{"id":').length === count + 1,
  product: (text, { id }) => text.startsWith(`{"id":${id},"campus":"`) && /[\]}]\}$/.test(text),
  styles: (text, { id }) => text.startsWith(`{"product_id":"${id}","results":[`) && text.endsWith(']}'),
  batch: (text, { ids }) => text.startsWith(`[{"id":${ids[0]},"campus":"`) && text.endsWith('}}]'),
  included: (text, { id }) => text.startsWith(`{"id":${id},"campus":"`) && text.endsWith(']}'),
  sku: (text, { id }) => text.startsWith(`{"id":${id},"product_id":`) && text.endsWith('}'),
  skus: (text, { ids }) => text.startsWith(`[{"id":${ids[0]},"product_id":`) && text.endsWith('}]'),
  related: (text) => /^\[[\d,]*\]$/.test(text),
  search: (text) => text.startsWith('{"total":') && text.endsWith(']}'),
  suggest: (text, { q }) => {
    const [, first = ''] = /^\{"words":\[\{"value":"([^"]*)"/.exec(text) ?? [];
    return first !== '' && completes(first, q) && text.endsWith(']}');
  },
  catalog: (text, { rows }) => text.startsWith(`{"products":${rows},"price":`) && text.endsWith('}}'),
  sitemap: (text, { status }) =>
    status === 404
      ? isShopless(text)
      : text.startsWith('<?xml ') && text.endsWith('</loc></sitemap>\n</sitemapindex>\n'),
  feed: (type, wanted) => type.startsWith(wanted.type),
  ucp: (text, { status }) => (status === 404 ? isShopless(text) : text.startsWith('{"ucp":{') && text.endsWith('}')),
  mcp: (text, { status }) =>
    status === 404 ? isShopless(text) : text.startsWith('{"jsonrpc":"2.0","id":1,"result":{') && text.endsWith('}}'),
  export: (text) =>
    text.startsWith('{') && text.endsWith('}}\n') && text.slice(0, -1).split('\n').pop().startsWith('{"end":'),
};
