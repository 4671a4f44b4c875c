'use strict';

const { EVENTS } = require('../../events');

/** The data version that all cache keys carry. */
class DataVersion {
  /** @type {string | null} null until PostgreSQL, or Redis in its absence, has said */
  current = null;
  #events;

  /** @param {import('../../events').Events} events */
  constructor(events) {
    this.#events = events;
  }

  /**
   * Takes a version from elsewhere, only while PostgreSQL has not yet said one.
   * @param {string} version
   */
  suggest(version) {
    if (this.current === null) this.take(version, 'redis');
  }

  /** @param {string} version @param {'database' | 'redis'} source */
  take(version, source) {
    if (version === this.current) return;
    this.current = version;
    this.#events.emit(EVENTS.versionChanged, version, source);
  }
}

exports.DataVersion = DataVersion;
