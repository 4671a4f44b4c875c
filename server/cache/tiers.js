'use strict';

const { LRUCache } = require('lru-cache');

const { ASIDE, Entry } = require('./entry');

/** At most one run per key at a time; requests that join it get its result, or its error. */
class SingleFlight {
  /** @type {Map<string, Promise<any>>} */
  #running = new Map();

  /** @param {string} key @returns {Promise<any> | undefined} the run to join, if there is one */
  joinable(key) {
    return this.#running.get(key);
  }

  /**
   * @template T
   * @param {string} key that has no run to join
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  start(key, work) {
    const started = work().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}

/** About 200 bytes a key: 400 KB at most. */
const MAX_ABSENT_KEYS = 2000;

/**
 * @typedef {{ body: Buffer, annotation?: string, aside?: string, longRows?: number }} Loaded result of a loader; null when there is nothing
 */

/** When Redis keeps a value: `again` is at the second request, so that texts that are typed once push out no document. @typedef {'always' | 'again' | 'never'} Sharing */

/** L1, then one fill per key: Redis, then the loader. A failed load rejects for its callers and is never stored. */
class Tiers {
  #l1;
  #l2;
  #admit;
  #events;
  #follow;
  /**
   * Keys known to have nothing behind them. Keys carry the data version, so a new product is never hidden. Apart from L1, so that a
   * scan of unknown ids cannot empty L1.
   * @type {LRUCache<string, true>}
   */
  #absent = new LRUCache({ max: MAX_ABSENT_KEYS });
  #flights = new SingleFlight();

  /**
   * @param {object} parts
   * @param {import('./l1').L1} parts.l1
   * @param {Pick<import('./l2').L2, 'get' | 'set'> | null} parts.l2 null when there is no Redis
   * @param {() => void} parts.admit throws when the worker takes no more misses
   * @param {import('../core/events').Events} parts.events
   * @param {<T>(fill: () => T) => T} [parts.follow] runs a fill for the request that began it
   */
  constructor({ l1, l2, admit, events, follow = (fill) => fill() }) {
    this.#l1 = l1;
    this.#l2 = l2;
    this.#admit = admit;
    this.#events = events;
    this.#follow = follow;
  }

  /**
   * Synchronous when L1 has the entry: a promise would cost a hot reply a turn of the microtask queue. Never throws: a failure
   * is a rejected promise.
   * @param {string} key carries the data version, so nothing here ever has to be invalidated
   * @param {() => Promise<Loaded | null>} load
   * @param {Sharing} [sharing] when Redis keeps it
   * @returns {Entry | null | Promise<Entry | null>} null when there is nothing under this key
   */
  read(key, load, sharing = 'always') {
    const entry = this.#l1.get(key);
    if (entry) return entry;
    if (this.#absent.get(key)) {
      this.#events.emit('served', 'absent', 0);
      return null;
    }
    const running = this.#flights.joinable(key);
    if (running) {
      this.#events.emit('collapsed');
      return running;
    }
    return this.#flights.start(key, () => this.#follow(() => this.#fill(key, load, sharing)));
  }

  /** Removes entries of older data versions. Absent keys take little memory and stay. */
  clear() {
    this.#l1.clear();
  }

  /** @param {string} key @param {() => Promise<Loaded | null>} load @param {Sharing} sharing */
  async #fill(key, load, sharing) {
    const l2 = sharing === 'never' ? null : this.#l2;
    this.#admit();
    const shared = l2 && (await l2.get(key));
    if (shared) {
      this.#l1.set(shared);
      this.#events.emit('served', 'l2', shared.body.length);
      return shared;
    }
    const loaded = await load();
    this.#events.emit('served', 'database', loaded?.body.length ?? 0);
    if (!loaded) {
      this.#absent.set(key, true);
      return null;
    }
    const { body, annotation = '', aside, longRows } = loaded;
    const entry = new Entry(key, body, { annotation: aside ? annotation + ASIDE + aside : annotation, longRows });
    const again = this.#l1.set(entry);
    if (again || sharing === 'always') l2?.set(entry);
    return entry;
  }
}

exports.SingleFlight = SingleFlight;
exports.Tiers = Tiers;
