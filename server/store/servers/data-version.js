'use strict';

const { Lists } = require('./lists');
const { LogPosition } = require('./log-position');
const { authority, isLater } = require('./server-choice');

/** @typedef {import('./watcher').Status} Status @typedef {import('./watcher').Log} Log */
/** @typedef {Pick<import('./watcher').ServerWatcher, 'status' | 'known' | 'empty' | 'outdated' | 'log' | 'changed'>} Watcher */

/**
 * The data version and the commits that cache keys carry: those of the server that takes writes; of another while none does. Which one
 * takes writes is queried, not configured: a promotion needs no restart of a worker.
 */
class DataVersion {
  /** @type {string | null} null until PostgreSQL, or Redis in its absence, has reported one; a failed read changes nothing */
  current = null;
  /** The timeline and era are those of the server whose version counts. */
  timeline = 0;
  era = 0;
  /** How searches are tuned: a number of catalog_meta.tuning; 0: they are not, or only Redis has reported a version. */
  tuning = 0;
  /** The fields that the load declares; null: none, or only Redis has reported a version. @type {import('./watcher').Declared | null} */
  declared = null;
  /** The lists are those of the current version. */
  lists = new Lists();
  /** In the log of the current version; at its beginning while the version is that of Redis. */
  position = new LogPosition();
  /** @type {{ status: Status, log: Log } | null} what the position follows */
  #wanted = null;
  #isReading = false;
  #watchers;
  #events;

  /** @param {import('../../core/events').Events} events @param {Watcher[]} watchers one for each server */
  constructor(events, watchers) {
    this.#events = events;
    this.#watchers = watchers;
    for (const watcher of watchers) watcher.changed = () => this.#update();
  }

  /** A server answers that has a catalog, and its log was read. */
  get live() {
    return this.position.reached !== null && this.#watchers.some(({ status }) => status !== null);
  }

  /** A server answers that has no catalog yet. */
  get empty() {
    return this.#watchers.some(({ empty }) => empty);
  }

  /** A server answers that lacks migrations. */
  get outdated() {
    return this.#watchers.some(({ outdated }) => outdated);
  }

  /** The load has been written to. */
  get isWritten() {
    return this.position.reached?.isWritten ?? false;
  }

  /** Takes the version of a load without writes from elsewhere, only while PostgreSQL has not reported one. @param {string} version */
  suggest(version) {
    if (this.current === null) this.#take({ token: version, listedSeq: 0, countedSeq: 0, stockedSeq: 0 }, 'redis');
  }

  /**
   * While the authority is silent for a moment, only a replica that is ahead of its last answer replaces it. Otherwise clients
   * would see the new catalog, an older one and the new one again.
   */
  #update() {
    const now = authority(this.#watchers.map(({ status }) => status));
    const known = authority(this.#watchers.map((watcher) => watcher.known));
    this.timeline = known?.timeline ?? 0;
    this.era = known?.era ?? 0;
    if (!now || !known) return;
    if (now === known || (now.recovering && isLater(now, known))) this.#follow(now);
  }

  /** @param {Status} status */
  #follow(status) {
    const watcher = this.#watchers.find((each) => each.status === status);
    this.#wanted = { status, log: /** @type {Log} */ (watcher?.log) };
    if (this.position.isAt(status)) this.#reach(status);
    else if (!this.#isReading) void this.#catchUp();
  }

  async #catchUp() {
    this.#isReading = true;
    try {
      while (this.#wanted && !this.position.isAt(this.#wanted.status)) {
        const { status, log } = this.#wanted;
        if (!(await this.position.approach(status, log))) return;
        if (this.position.seq === status.seq) this.#reach(status);
      }
    } catch (error) {
      this.#events.emit('versionUnread', 'version', /** @type {Error} */ (error));
    } finally {
      this.#isReading = false;
    }
  }

  /** @param {Status} status that the position is at */
  #reach(status) {
    const before = this.position.reached;
    this.position.reach(status);
    this.tuning = status.tuning;
    this.declared = status.declared;
    this.#take({ ...status, stockedSeq: status.isWritten ? status.seq : 0 }, 'database');
    if (before?.token === status.token && before.seq < status.seq)
      this.#events.emit('commitsApplied', status.seq - before.seq);
  }

  /** @param {import('./lists').State} state @param {'database' | 'redis'} source */
  #take(state, source) {
    this.lists.follow(state);
    if (state.token === this.current) return;
    this.current = state.token;
    this.#events.emit('versionChanged', state.token, source);
  }
}

exports.DataVersion = DataVersion;
