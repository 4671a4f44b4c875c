'use strict';

const { authority, momentOf } = require('./server-choice');

/**
 * The data version that all cache keys carry: that of the server that takes writes; of another while none does. Which one takes
 * writes is queried, not configured: a promotion needs no restart of a worker.
 */
class DataVersion {
  /** @type {string | null} null until PostgreSQL, or Redis in its absence, has reported one; a failed read changes nothing */
  current = null;
  /** Of the server whose version counts. */
  timeline = 0;
  #watchers;
  #events;

  /**
   * @param {import('../../events').Events} events
   * @param {Pick<import('./watcher').ServerWatcher, 'status' | 'known' | 'empty' | 'changed'>[]} watchers one for each server
   */
  constructor(events, watchers) {
    this.#events = events;
    this.#watchers = watchers;
    for (const watcher of watchers) watcher.changed = () => this.#update();
  }

  /** Whether a server answers that has a catalog. */
  get live() {
    return this.#watchers.some(({ status }) => status !== null);
  }

  /** Whether a server answers that has no catalog yet. */
  get empty() {
    return this.#watchers.some(({ empty }) => empty);
  }

  /** Takes a version from elsewhere, only while PostgreSQL has not reported one. @param {string} version */
  suggest(version) {
    if (this.current === null) this.#take(version, 'redis');
  }

  /**
   * While the authority is silent for a moment, only a replica that is ahead of its last answer replaces it. Otherwise clients
   * would see the new catalog, an older one and the new one again. (A standby that was never rewound would count as ahead: the
   * runbook recreates it.)
   */
  #update() {
    const now = authority(this.#watchers.map(({ status }) => status));
    const known = authority(this.#watchers.map((watcher) => watcher.known));
    this.timeline = known?.timeline ?? 0;
    if (!now || !known) return;
    const isAhead = now.recovering && momentOf(now.token) > momentOf(known.token);
    if (now === known || isAhead) this.#take(now.token, 'database');
  }

  /** @param {string} version @param {'database' | 'redis'} source */
  #take(version, source) {
    if (version === this.current) return;
    this.current = version;
    this.#events.emit('versionChanged', version, source);
  }
}

exports.DataVersion = DataVersion;
