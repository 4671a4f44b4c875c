'use strict';

const { Redis } = require('ioredis');

const { Breaker } = require('./breaker');

/**
 * Options of ioredis. Its defaults would queue commands while Redis is away, run them after they
 * have failed for the caller, and let one read hang for 73 s.
 * @param {import('../config/config').Config} config
 * @returns {import('ioredis').RedisOptions}
 */
function redisOptions(config) {
  return {
    commandTimeout: config.REDIS_COMMAND_TIMEOUT_MS,
    connectTimeout: config.REDIS_CONNECT_TIMEOUT_MS,
    socketTimeout: config.REDIS_SOCKET_TIMEOUT_MS,
    retryStrategy: () => config.REDIS_RECONNECT_MS * (1 + Math.random()),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    reconnectOnError: (error) => /READONLY|MASTERDOWN/.test(error.message),
    connectionName: 'catalog',
    lazyConnect: true,
    ...endpoint(config.REDIS_URL),
  };
}

/**
 * @param {string} text unix:///path?db=1, redis:// or rediss://
 * @returns {import('ioredis').RedisOptions}
 */
function endpoint(text) {
  const url = new URL(text);
  const secret = {
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
  };
  if (url.protocol === 'unix:')
    return {
      ...secret,
      path: decodeURIComponent(url.pathname),
      db: Number(url.searchParams.get('db')),
    };
  return {
    ...secret,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'), // only a URL has brackets around an IPv6 address
    port: Number(url.port) || 6379,
    db: Number(url.pathname.slice(1)) || 0,
    tls: url.protocol === 'rediss:' ? {} : undefined,
  };
}

/** Replaces a value that is not a string; nothing unpacks from it. */
const NOT_A_STRING = Buffer.from('WRONGTYPE');

/** Redis that may be absent, dead or slow at any moment: no method ever rejects. */
class RedisBytes {
  #client;
  #breaker;
  #events;
  #prefix;

  /** @param {import('../config/config').Config} config @param {import('../core/events').Events} events */
  constructor(config, events) {
    this.#events = events;
    this.#prefix = config.REDIS_KEY_PREFIX;
    this.#client = new Redis(redisOptions(config));
    // Without a listener a lost connection would be an uncaught error and end the worker.
    this.#client.on('error', (error) => events.emit('redisFailed', error));
    this.#breaker = new Breaker({
      failures: config.BREAKER_FAILURES,
      openMs: config.BREAKER_OPEN_MS,
      onChange: (state) => events.emit('breakerChanged', state),
    });
  }

  /** Starts to connect and does not wait: a worker must come up without Redis. */
  open() {
    this.#client.connect().catch(() => {});
  }

  close() {
    this.#client.disconnect();
  }

  /** @param {() => void} callback at every connection, the first and those after a loss */
  onReady(callback) {
    this.#client.on('ready', callback);
  }

  get state() {
    return this.#client.status === 'ready' && this.#breaker.state === 'closed' ? 'up' : 'down';
  }

  /**
   * @param {string} key
   * @param {number} maxBytes a longer value is cut here, so that a huge one cannot fill the worker
   * @returns {Promise<Buffer | null>} empty: no value; null: Redis did not answer in time
   */
  get(key, maxBytes) {
    return this.#run('get', () => this.#client.getrangeBuffer(this.#prefix + key, 0, maxBytes), NOT_A_STRING);
  }

  /**
   * @param {string} key
   * @param {() => Buffer | string} value made only when the command is sent: a long one is copied for it
   * @param {number} ttlMs
   * @returns {Promise<unknown>}
   */
  set(key, value, ttlMs) {
    return this.#run('set', () => this.#client.set(this.#prefix + key, value(), 'PX', Math.round(ttlMs)));
  }

  /** @param {string} key @returns {Promise<unknown>} */
  delete(key) {
    return this.#run('delete', () => this.#client.unlink(this.#prefix + key));
  }

  /**
   * @template T
   * @param {string} name of the command, in metrics
   * @param {() => Promise<T>} command
   * @param {T | null} [whenWrongType]
   * @returns {Promise<T | null>}
   */
  async #run(name, command, whenWrongType = null) {
    if (this.#client.status !== 'ready' || !this.#breaker.allows()) return null;
    const startedMs = performance.now();
    try {
      const result = await command();
      this.#breaker.succeeded();
      this.#events.emit('redisAnswered', name, performance.now() - startedMs);
      return result;
    } catch (error) {
      return this.#failed(/** @type {Error} */ (error), whenWrongType);
    }
  }

  /**
   * An error such as OOM or WRONGTYPE is an answer in time. Only silence and a Redis that is still loading count
   * against the breaker.
   * @template T
   * @param {Error} error
   * @param {T | null} whenWrongType
   * @returns {T | null}
   */
  #failed(error, whenWrongType) {
    const answered = error.name === 'ReplyError' && !/^(LOADING|MASTERDOWN)/.test(error.message);
    if (answered) this.#breaker.succeeded();
    else this.#breaker.failed();
    if (/^WRONGTYPE/.test(error.message)) return whenWrongType;
    this.#events.emit('redisFailed', error);
    return null;
  }
}

exports.RedisBytes = RedisBytes;
exports.redisOptions = redisOptions;
