'use strict';

/**
 * Circuit breaker: after `failures` in a row it refuses for up to `openMs`, then lets one call
 * through; its outcome closes or reopens it. The pause is jittered (50–100 %) so that the workers of
 * a node do not all probe at the same moment.
 * Pattern: M. Nygard, "Release It!", chapter "Circuit Breaker".
 */
class Breaker {
  #failed = 0;
  #retryAtMs = 0;
  /** @type {'closed' | 'open' | 'half-open'} */
  #state = 'closed';
  #options;

  /**
   * @param {object} options
   * @param {number} options.failures
   * @param {number} options.openMs
   * @param {(state: 'closed' | 'open' | 'half-open') => void} options.onChange
   * @param {() => number} [options.now] monotonic, ms
   */
  constructor({ failures, openMs, onChange, now = () => performance.now() }) {
    this.#options = { failures, openMs, onChange, now };
  }

  get state() {
    return this.#state;
  }

  /** In half-open, only the first call may be made. */
  allows() {
    if (this.#state === 'closed') return true;
    if (this.#state === 'half-open' || this.#options.now() < this.#retryAtMs) return false;
    this.#become('half-open');
    return true;
  }

  succeeded() {
    this.#failed = 0;
    if (this.#state !== 'closed') this.#become('closed');
  }

  failed() {
    this.#failed += 1;
    if (this.#state === 'open') return;
    if (this.#state === 'closed' && this.#failed < this.#options.failures) return;
    this.#retryAtMs = this.#options.now() + this.#options.openMs * (0.5 + Math.random() / 2);
    this.#become('open');
  }

  /** @param {'closed' | 'open' | 'half-open'} state */
  #become(state) {
    this.#state = state;
    this.#options.onChange(state);
  }
}

exports.Breaker = Breaker;
