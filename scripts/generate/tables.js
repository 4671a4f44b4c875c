'use strict';

/** @typedef {'product' | 'styles' | 'photos' | 'skus' | 'features' | 'related'} TableName */

/**
 * How an edition writes a file.
 * @typedef {object} Edition
 * @property {string} header without its line end; empty for none
 * @property {string} [mark] at the beginning of the file
 * @property {string} [lineEnd]
 * @property {boolean} [endless] without a line end at the end of the file
 * @property {number[]} [order] the canonical column of each position, when it differs
 */

/**
 * @typedef {object} Table
 * @property {TableName} name
 * @property {string} file
 * @property {string[]} columns in the canonical order
 * @property {TableName} [parent] whose id is in the second column
 * @property {number} perProduct about how many rows a product has
 * @property {[every: number, skip: number]} gaps after every `every` rows, `skip` ids are missing, as in real data: paging
 *   must count rows, not ids
 * @property {(ordinal: number) => string[]} [more] values of a row's further columns, written as CSV
 * @property {import('./defects').Values[]} [values] defects of these
 * @property {Edition} clean
 * @property {Edition} dirty
 */

/**
 * @param {TableName} name @param {string} header of the clean edition, with the spaces of a real file
 * @param {Pick<Table, 'perProduct' | 'gaps' | 'parent'> & { dirty: Partial<Edition> }} more @returns {Table}
 */
const table = (name, header, { dirty, ...more }) => ({
  name,
  file: `${name}.csv`,
  columns: header.split(/, ?/),
  ...more,
  clean: { header },
  dirty: { header, ...dirty },
});

const bom = '\uFEFF';

/** @type {Record<TableName, Table>} */
const tables = {
  product: table('product', 'id, name, slogan, description, category, default_price', {
    perProduct: 1,
    gaps: [50, 3],
    dirty: { mark: bom },
  }),
  styles: table('styles', 'id,productId,name,sale_price,original_price,default_style', {
    parent: 'product',
    perProduct: 1.96,
    gaps: [90, 2],
    dirty: { header: 'ID,Product_Id,NAME,SalePrice,original price,DEFAULT_STYLE' },
  }),
  photos: table('photos', 'id, styleId, url, thumbnail_url', {
    parent: 'styles',
    perProduct: 5.66,
    gaps: [1000, 1],
    dirty: { endless: true },
  }),
  skus: table('skus', 'id, styleId, size, quantity', {
    parent: 'styles',
    perProduct: 11.3,
    gaps: [700, 2],
    dirty: { header: 'id, size, style_id, quantity', order: [0, 2, 1, 3], lineEnd: '\r\n' },
  }),
  features: table('features', 'id,product_id,feature,value', {
    parent: 'product',
    perProduct: 2.22,
    gaps: [400, 1],
    dirty: { header: '', mark: bom },
  }),
  related: table('related', 'id,current_product_id,related_product_id', {
    parent: 'product',
    perProduct: 4.51,
    gaps: [900, 1],
    dirty: { header: 'id,related_product_id,current_product_id', order: [0, 2, 1] },
  }),
};

/** @param {Table} table @param {number} ordinal of a row, from 0 @returns {number} its id */
const idOf = ({ gaps: [every, skip] }, ordinal) => ordinal + 1 + skip * Math.floor(ordinal / every);

/** @param {Table} table @param {number} ordinal @returns {number} an id near that row that no row has */
function missingId({ gaps: [every, skip] }, ordinal) {
  const gapsBefore = Math.max(1, Math.floor(ordinal / every));
  return every * gapsBefore + skip * (gapsBefore - 1) + 1;
}

module.exports = { idOf, missingId, tables };
