'use strict';

const { overloaded } = require('../../core/errors');

const SAMPLE_MS = 50;
const SAMPLES = 3;

/**
 * Measures how late the event loop runs. While it is too late, reads that L1 cannot answer are refused: more work
 * would make all of it later. The smallest of the last samples counts, as in CoDel (K. Nichols, V. Jacobson, 2012):
 * after one long stop the queue empties by itself, and refusing then would only add failures.
 */
class LagGuard {
  #samplesMs = new Array(SAMPLES).fill(0);
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
      this.#samplesMs.push(performance.now() - this.#expectedMs);
      this.#samplesMs.shift();
      this.#expectedMs = performance.now() + SAMPLE_MS;
    }, SAMPLE_MS).unref();
  }

  close() {
    clearInterval(this.#timer);
  }

  /** How late the last sample was. */
  get lagMs() {
    return Math.max(0, this.#samplesMs[SAMPLES - 1]);
  }

  get late() {
    return Math.min(...this.#samplesMs) > this.#limitMs;
  }

  /** @throws {import('../../core/errors').Problem} 503 while the loop is late */
  admit() {
    if (this.late) throw overloaded('The worker cannot keep up with its requests.');
  }
}

exports.LagGuard = LagGuard;
