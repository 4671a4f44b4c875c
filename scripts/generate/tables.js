'use strict';

/** @typedef {'product' | 'styles' | 'photos' | 'skus' | 'features' | 'related'} TableName */

/**
 * How an edition writes a file.
 * @typedef {object} Edition
 * @property {string} header without its line end; empty for none
 * @property {string} [mark] at the beginning of the file
 * @property {string} [lineEnd]
 * @property {boolean} [endless] without a line end at the end of the file
 */

/**
 * @typedef {object} Table
 * @property {TableName} name
 * @property {string} file
 * @property {string[]} columns in the canonical order
 * @property {TableName} [parent] whose id is in the second column
 * @property {number} perProduct about how many rows a product has
 * @property {Edition} clean
 * @property {Edition & { order?: number[] }} dirty `order` has the canonical column of each position, when it differs
 */

const bom = '\uFEFF';

/** Headers of the clean edition have the spaces of real files. */
const tables = /** @satisfies {Record<TableName, Table>} */ ({
  product: {
    name: 'product',
    file: 'product.csv',
    columns: ['id', 'name', 'slogan', 'description', 'category', 'default_price'],
    perProduct: 1,
    clean: { header: 'id, name, slogan, description, category, default_price' },
    dirty: {
      header: 'id, name, slogan, description, category, default_price',
      mark: bom,
    },
  },
  styles: {
    name: 'styles',
    file: 'styles.csv',
    columns: ['id', 'productId', 'name', 'sale_price', 'original_price', 'default_style'],
    parent: 'product',
    perProduct: 1.96,
    clean: { header: 'id,productId,name,sale_price,original_price,default_style' },
    dirty: {
      header: 'ID,Product_Id,NAME,SalePrice,original price,DEFAULT_STYLE',
    },
  },
  photos: {
    name: 'photos',
    file: 'photos.csv',
    columns: ['id', 'styleId', 'url', 'thumbnail_url'],
    parent: 'styles',
    perProduct: 5.66,
    clean: { header: 'id, styleId, url, thumbnail_url' },
    dirty: { header: 'id, styleId, url, thumbnail_url', endless: true },
  },
  skus: {
    name: 'skus',
    file: 'skus.csv',
    columns: ['id', 'styleId', 'size', 'quantity'],
    parent: 'styles',
    perProduct: 11.3,
    clean: { header: 'id, styleId, size, quantity' },
    dirty: { header: 'id, size, style_id, quantity', order: [0, 2, 1, 3], lineEnd: '\r\n' },
  },
  features: {
    name: 'features',
    file: 'features.csv',
    columns: ['id', 'product_id', 'feature', 'value'],
    parent: 'product',
    perProduct: 2.22,
    clean: { header: 'id,product_id,feature,value' },
    dirty: { header: '', mark: bom },
  },
  related: {
    name: 'related',
    file: 'related.csv',
    columns: ['id', 'current_product_id', 'related_product_id'],
    parent: 'product',
    perProduct: 4.51,
    clean: { header: 'id,current_product_id,related_product_id' },
    dirty: { header: 'id,related_product_id,current_product_id', order: [0, 2, 1] },
  },
});

module.exports = { tables };
