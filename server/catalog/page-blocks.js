'use strict';

/**
 * Finds a row of the catalog by its number. Products in id order are cut into blocks, and a binary search over the sums of
 * their row counts finds the block. Page 190,000 costs what page 1 does, although ids have gaps; SQL's OFFSET would read all rows
 * before it.
 */
class PageBlocks {
  #firstIds;
  #rowsBefore;

  /**
   * @param {object} blocks in id order
   * @param {number[]} blocks.firstIds first id of each block
   * @param {number[]} blocks.rows products in each block
   * @param {number | null} blocks.loadId the load they were counted in
   * @param {number} blocks.countedSeq the last commit that added or removed products by then
   */
  constructor({ firstIds, rows, loadId, countedSeq }) {
    this.loadId = loadId;
    this.countedSeq = countedSeq;
    this.#firstIds = Int32Array.from(firstIds);
    this.#rowsBefore = new Uint32Array(rows.length + 1);
    rows.forEach((count, index) => (this.#rowsBefore[index + 1] = this.#rowsBefore[index] + count));
  }

  get totalRows() {
    return this.#rowsBefore[this.#rowsBefore.length - 1];
  }

  /**
   * @param {number} offset rows before it
   * @returns {{ firstId: number, skip: number } | null} read from firstId on and skip rows; null past the end
   */
  locate(offset) {
    if (offset >= this.totalRows) return null;
    let low = 0;
    let high = this.#firstIds.length - 1;
    // The last block with at most `offset` rows before it; an emptied block is skipped.
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#rowsBefore[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return { firstId: this.#firstIds[low], skip: offset - this.#rowsBefore[low] };
  }
}

exports.PageBlocks = PageBlocks;
