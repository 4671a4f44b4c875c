'use strict';

const { fieldErrors } = require('./fields');
const { token } = require('./paths');
const { OWN_MEMBERS, ordered } = require('./shape');

/** @typedef {import('./shape').Content} Content @typedef {import('../errors').BodyError} BodyError */

/** Rows of a product in all tables; more would keep a transaction, and all that wait for it, too long. */
const MAX_ROWS = 2000;
const MAX_INTEGER = 2147483647;
/** The API gives higher ids to what is new; files may have any. */
const LAST_FILE_ID = 1_500_000_000;
const isNew = (/** @type {string} */ key) => key.startsWith('new');

/** @param {Content} content @returns {[style: string, sku: string][]} */
const skuKeys = ({ styles }) =>
  Object.entries(styles).flatMap(([style, { skus }]) =>
    Object.keys(skus).map((sku) => /** @type {[string, string]} */ ([style, sku])),
  );

/** @param {Content} content */
const rowsOf = ({ features, related, styles }) =>
  Object.values(styles).reduce(
    (sum, { photos, skus }) => sum + 1 + photos.length + Object.keys(skus).length,
    features.length + related.length,
  );

/**
 * The ids that a product names and does not have now. A write may bring back what an earlier one took out of it.
 * @param {Content | null} before @param {Content} after
 * @returns {{ styles: number[], skus: number[] }}
 */
function returning(before, after) {
  const had = new Set(before ? skuKeys(before).map(([, sku]) => sku) : []);
  const isMissing = (/** @type {string} */ key) => !isNew(key) && Number(key) <= MAX_INTEGER;
  return {
    styles: Object.keys(after.styles)
      .filter((key) => isMissing(key) && !before?.styles[key])
      .map(Number),
    skus: skuKeys(after).flatMap(([, sku]) => (isMissing(sku) && !had.has(sku) ? [Number(sku)] : [])),
  };
}

/**
 * @typedef {object} Known of the database
 * @property {number} id of the product
 * @property {ReadonlySet<number>} products that exist, of those that are named as related
 * @property {ReadonlySet<number>} styles that the product had once
 * @property {ReadonlyMap<number, number>} skus that the product had once, with their last quantities
 * @property {boolean} mayMake whether styles and skus that are nowhere may be made under the ids of files
 */

/**
 * Finds what the schema cannot tell.
 * @param {Content | null} before @param {Content} after both ordered @param {Known} known
 * @param {boolean} wasThere whether the product once had this content: then a load may have brought what a write may not
 * @returns {BodyError[]}
 */
const contentErrors = (before, after, known, wasThere) => [
  ...styleErrors(before, after, known),
  ...skuErrors(before, after, known),
  ...relatedErrors(before, after, known),
  ...(wasThere ? [] : [...photoErrors(before, after), ...sizeErrors(before, after)]),
];

/** @param {Known} known @param {string} key */
const mayMake = (known, key) => known.mayMake && Number(key) <= LAST_FILE_ID;

/** @param {string} kind @param {string} id */
const notHere = (kind, id) => `There is no ${kind} ${id} in this product. A key that begins with new makes a new one.`;

/** @param {Content | null} before @param {Content} after @param {Known} known @returns {BodyError[]} */
const styleErrors = (before, after, known) =>
  Object.keys(after.styles)
    .filter((key) => !isNew(key) && !before?.styles[key] && !known.styles.has(Number(key)) && !mayMake(known, key))
    .map((key) => ({ pointer: `/styles/${key}`, detail: notHere('style', key) }));

/** @param {Content | null} before @param {Content} after @param {Known} known @returns {BodyError[]} */
function skuErrors(before, after, known) {
  const had = new Set(before ? skuKeys(before).map(([, sku]) => sku) : []);
  const seen = new Set();
  return skuKeys(after).flatMap(([style, sku]) => {
    if (isNew(sku)) return [];
    const pointer = `/styles/${style}/skus/${sku}`;
    if (seen.has(sku)) return [{ pointer, detail: 'is in two styles.' }];
    seen.add(sku);
    const isMade = !had.has(sku) && mayMake(known, sku);
    if (!had.has(sku) && !known.skus.has(Number(sku)) && !isMade) return [{ pointer, detail: notHere('sku', sku) }];
    const { quantity } = after.styles[style].skus[sku];
    return quantity === undefined || isMade
      ? []
      : [{ pointer: `${pointer}/quantity`, detail: 'may be given only to a new sku. POST /stock changes quantities.' }];
  });
}

/** A storefront puts a URL into `src`, so no other scheme. What a load brought may stay. @param {Content | null} before @param {Content} after @returns {BodyError[]} */
function photoErrors(before, after) {
  const urls = (/** @type {Content | null} */ content) =>
    Object.entries(content?.styles ?? {}).flatMap(([style, { photos }]) =>
      photos.flatMap((photo, index) =>
        /** @type {const} */ (['thumbnail_url', 'url']).map((name) => ({
          pointer: `/styles/${style}/photos/${index}/${name}`,
          url: photo[name],
        })),
      ),
    );
  const known = new Set(urls(before).map(({ url }) => url));
  return urls(after)
    .filter(({ url }) => !known.has(url) && !/^https?:\/\//i.test(url))
    .map(({ pointer }) => ({ pointer, detail: 'must be a URL that starts with http:// or https://.' }));
}

/** @param {Content | null} before @param {Content} after @param {Known} known @returns {BodyError[]} */
const relatedErrors = (before, after, known) =>
  after.related.flatMap((id, index) =>
    before?.related.includes(id) || known.products.has(id) || id === known.id
      ? []
      : [{ pointer: `/related/${index}`, detail: `There is no product ${id}.` }],
  );

/** A product of a load may be larger, and then not grow. @param {Content | null} before @param {Content} after @returns {BodyError[]} */
function sizeErrors(before, after) {
  const rows = rowsOf(after);
  if (rows <= Math.max(MAX_ROWS, before ? rowsOf(before) : 0)) return [];
  return [
    { pointer: '', detail: `has ${rows} styles, photos, skus, features and related ids, more than ${MAX_ROWS}.` },
  ];
}

/**
 * Splits a valid body into content and what a client cannot change.
 * @param {any} body @param {import('./shape').Own | null} own of the product; null: a new one
 * @param {import('../../catalog/declarations').Declaration} declaration of the load that is served
 * @returns {{ content: Content, errors: BodyError[] }} errors of members that differ from the product's own, and of fields
 */
function readBody(body, own, declaration) {
  const errors = OWN_MEMBERS.filter((name) => body[name] !== undefined && body[name] !== own?.[name]).map((name) => ({
    pointer: token(name),
    detail: 'cannot be changed. Leave it out.',
  }));
  return { content: ordered(body, declaration), errors: [...errors, ...fieldErrors(body, declaration)] };
}

exports.LAST_FILE_ID = LAST_FILE_ID;
exports.contentErrors = contentErrors;
exports.isNew = isNew;
exports.readBody = readBody;
exports.returning = returning;
exports.skuKeys = skuKeys;
