'use strict';

const { overloaded } = require('../../core/errors');

/** Beyond either, applying has stopped or cannot keep up, and further operations would only be applied still later. */
const MAX_OPERATIONS = 2_000_000;
const MAX_MS = 10_000;

/** How far the log of stock is logged and applied. An offset counts its operations; a client knows that of its request as `position`. */
class StockOffsets {
  logged = 0;
  applied = 0;
  /** The oldest row that was not applied at the last look, and since when it waited. */
  #oldest = { pos: 0, sinceMs: 0 };
  #lookedMs = 0;

  /** @param {{ logged: string, applied: string, oldest: string | null, ms: number | null }} row of stock_offsets.sql */
  look({ logged, applied, oldest, ms }) {
    const nowMs = performance.now();
    this.logged = Number(logged);
    this.applied = Number(applied);
    this.#oldest = { pos: Number(oldest), sinceMs: nowMs - Number(ms) };
    this.#lookedMs = nowMs;
  }

  /** Logged operations that are not applied; 0 before the first look. */
  get unapplied() {
    return this.#lookedMs > 0 ? Math.max(0, this.logged - this.applied) : 0;
  }

  /** For how long the oldest of them waits. */
  get unappliedMs() {
    if (this.unapplied === 0) return 0;
    return performance.now() - (this.#oldest.pos > this.applied ? this.#oldest.sinceMs : this.#lookedMs);
  }

  /** @throws {import('../../core/errors').Problem} 503 */
  requireRoom() {
    if (this.unapplied > MAX_OPERATIONS || this.unappliedMs > MAX_MS)
      throw overloaded('Logged operations wait too long to be applied.');
  }
}

exports.StockOffsets = StockOffsets;
