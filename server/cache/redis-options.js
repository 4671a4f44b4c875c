'use strict';

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

exports.redisOptions = redisOptions;
