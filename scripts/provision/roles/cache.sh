# shellcheck shell=bash
# Redis as a cache without persistence; sourced.

role_cache() {
  export REDIS_PORT=6379 REDIS_DIR=/var/lib/redis REDIS_BIND="127.0.0.1"
  [[ $role == all ]] || REDIS_BIND="127.0.0.1 $address"
  cache_sizes "$memory" "$machine"
  ensure_packages redis-server
  ensure_rendered /etc/redis/redis.conf 640 redis:redis redis.conf
  ensure_enabled redis-server.service multi-user.target
  ensure_running redis-server.service restart /etc/redis/redis.conf
}
