# shellcheck shell=bash
# Redis as a cache without persistence; sourced.

redis_cli() { REDISCLI_AUTH=$REDIS_PASSWORD redis-cli "$@"; }

follows_as_asked() { [[ $(redis_cli info replication | tr -d '\r' | sed -n 's/^master_host://p') == "$replica_of" ]]; }
follow() {
  if [[ -n $replica_of ]]; then quietly redis_cli replicaof "$replica_of" 6379; else quietly redis_cli replicaof no one; fi
}

role_cache() {
  local drop_in=/etc/systemd/system/redis-server.service.d/catalog.conf
  export REDIS_PORT=6379 REDIS_DIR=/var/lib/redis REDIS_BIND="127.0.0.1"
  export REDIS_SOURCE_FILE=/etc/redis/catalog-source.conf REDIS_SOURCE="${replica_of:+replicaof $replica_of 6379}"
  [[ $role == all ]] || REDIS_BIND="127.0.0.1 $address"
  cache_sizes "$memory" "$machine"
  ensure_packages redis-server
  ensure_rendered "$REDIS_SOURCE_FILE" 640 redis:redis redis-source.conf
  ensure_rendered /etc/redis/redis.conf 640 redis:redis redis.conf
  ensure_rendered "$drop_in" 644 root:root redis-online.conf
  ensure_read redis-server.service "$drop_in"
  ensure_enabled redis-server.service multi-user.target
  ensure_running redis-server.service restart /etc/redis/redis.conf
  if systemd_runs && systemctl is-active --quiet redis-server; then
    make_so "follow ${replica_of:-no one}" follows_as_asked follow
  fi
}
