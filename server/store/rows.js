'use strict';

/** @typedef {import('../internals/pg/statement').Row | null} Row of an aggregate: there always is one */
/**
 * @typedef {object} Page
 * @property {Buffer} body JSON array
 * @property {number | null} lastId null when the page is empty
 * @property {boolean} more whether there are rows after it
 * @property {number | null} loadId the load that all of it comes from; null when empty or of two loads
 * @property {number} countedSeq the last commit that added or removed products, when it was read
 */
/**
 * @typedef {object} Batch
 * @property {Buffer} body JSON array
 * @property {boolean} mixed whether it is of two loads, and wrong
 */
/**
 * @typedef {object} Piece of an export
 * @property {Buffer} lines
 * @property {number | null} lastId null when it is empty
 * @property {number} count
 * @property {number | null} loadId null when it is empty
 * @property {number} changedSeq the last commit that changed what such lines show, when it was read
 * @property {boolean} mixed whether it is of two loads, and wrong
 */

/** @param {Row} row */
const fields = (row) => /** @type {NonNullable<Row>} */ (row);

/** @param {Buffer | null} min @param {Buffer | null} max */
const oneLoad = (min, max) => (min && max && min.equals(max) ? Number(String(min)) : null);

/** The last two fields are the lowest and the highest load. @param {Row} row of a list @returns {boolean} whether it is of two loads */
function isMixed(row) {
  const [min, max] = fields(row).slice(-2);
  return min !== null && oneLoad(min, max) === null;
}

/** @param {Row} row of page.sql, after.sql or included_page.sql @returns {Page} */
function toPage(row) {
  const [body, lastId, more, countedSeq, minLoad, maxLoad] = fields(row);
  return {
    body: /** @type {Buffer} */ (body),
    lastId: lastId && Number(String(lastId)),
    more: String(more) === 't',
    loadId: oneLoad(minLoad, maxLoad),
    countedSeq: Number(String(countedSeq)),
  };
}

/** @param {Row} row of counted_page.sql @returns {Page & { total: number }} */
const toCountedPage = (row) => ({ ...toPage(row), total: Number(String(fields(row)[3])) });

/** @param {Row} row of batch.sql @returns {Batch} */
function toBatch(row) {
  const [body] = fields(row);
  return { body: /** @type {Buffer} */ (body), mixed: isMixed(row) };
}

/** @param {Row} row of export_card.sql, export_product.sql or export_id.sql @returns {Piece} */
function toPiece(row) {
  const [lines, lastId, count, loadId, changedSeq] = fields(row);
  return {
    lines: /** @type {Buffer} */ (lines),
    lastId: lastId && Number(String(lastId)),
    count: Number(String(count)),
    loadId: loadId && Number(String(loadId)),
    changedSeq: Number(String(changedSeq)),
    mixed: false, // of one table
  };
}

/** @param {Row} row of export_full.sql @returns {Piece} */
const toFullPiece = (row) => ({ ...toPiece(row), mixed: isMixed(row) });

/** @param {Row} row of page_blocks.sql @returns {{ firstIds: number[], rows: number[], loadId: number | null, countedSeq: number }} */
function toBlocks(row) {
  const [firstIds, rows, countedSeq, minLoad, maxLoad] = fields(row);
  return {
    firstIds: JSON.parse(String(firstIds)),
    rows: JSON.parse(String(rows)),
    loadId: oneLoad(minLoad, maxLoad),
    countedSeq: Number(String(countedSeq)),
  };
}

exports.isMixed = isMixed;
exports.toPage = toPage;
exports.toCountedPage = toCountedPage;
exports.toBatch = toBatch;
exports.toFullPiece = toFullPiece;
exports.toPiece = toPiece;
exports.toBlocks = toBlocks;
