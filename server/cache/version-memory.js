'use strict';

const KEY = 'data-version';
const TTL_MS = 30 * 24 * 3600 * 1000;
const MAX_BYTES = 100;
/** A full Redis evicts the keys that were unused for longest: entries, as long as this key is used more often. */
const REFRESH_MS = 10_000;

/** As store/queries/server_status.sql makes it. Any other value would be used until PostgreSQL answers. */
const TOKEN = /^\d+-\d+$/;
/** After the version of a load that has been written to. */
const WRITTEN = ' written';

/**
 * The data version as Redis knows it, for a worker that starts while PostgreSQL is away. It then serves what is in Redis, but nothing of
 * a load that has been written to: only the log says which entries are older than a write.
 */
class VersionMemory {
  #redis;
  #version;
  #remembered = '';
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {Pick<import('./redis').RedisBytes, 'get' | 'set' | 'onReady'> | null} redis
   * @param {{ live: boolean, current: string | null, isWritten: boolean, suggest: (version: string) => void }} version
   */
  constructor(redis, version) {
    this.#redis = redis;
    this.#version = version;
  }

  /** Opened after a start has waited for PostgreSQL, whose version comes first. */
  async open() {
    this.#redis?.onReady(() => void this.#refresh());
    this.#timer = setInterval(() => void this.#refresh(), REFRESH_MS).unref();
    await this.#refresh();
  }

  close() {
    clearInterval(this.#timer);
  }

  /** Writes the version to Redis, or reads it from there while it is not known. */
  async #refresh() {
    this.#remembered = '';
    this.remember();
    if (this.#version.current !== null) return;
    const found = await this.#redis?.get(KEY, MAX_BYTES);
    const token = String(found);
    if (TOKEN.test(token)) this.#version.suggest(token);
  }

  /** Writes the version of PostgreSQL to Redis, unless it was the last one written there. */
  remember() {
    const { live, current, isWritten } = this.#version;
    if (!live) return;
    const text = `${current}${isWritten ? WRITTEN : ''}`;
    if (text === this.#remembered) return;
    this.#remembered = text;
    this.#redis?.set(KEY, () => text, TTL_MS);
  }
}

exports.VersionMemory = VersionMemory;
