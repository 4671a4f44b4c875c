'use strict';

const { overloaded } = require('../errors');

const SAMPLE_MS = 50;

/**
 * Watches how late the event loop runs. While it is too late, reads that L1 cannot answer are refused:
 * queueing more work would only make everything later.
 */
class LagGuard {
  lagMs = 0;
  #limitMs;
  #expectedMs = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {number} limitMs */
  constructor(limitMs) {
    this.#limitMs = limitMs;
  }

  open() {
    this.#expectedMs = performance.now() + SAMPLE_MS;
    this.#timer = setInterval(() => {
      this.lagMs = Math.max(0, performance.now() - this.#expectedMs);
      this.#expectedMs = performance.now() + SAMPLE_MS;
    }, SAMPLE_MS).unref();
  }

  close() {
    clearInterval(this.#timer);
  }

  get late() {
    return this.lagMs > this.#limitMs;
  }

  /** @throws {import('../errors').Problem} 503 while the loop is late */
  admit() {
    if (this.late) throw overloaded('The worker is behind with its work.');
  }
}

exports.LagGuard = LagGuard;
