#!/usr/bin/env bash
# Valkey as the shared cache.
set -euo pipefail
# shellcheck source=base.sh
source "$(dirname "$0")/base.sh"

account valkey 64002
install -d -o valkey -g valkey -m 700 /var/lib/valkey
cache_sizes "$node_memory_mb" own
export REDIS_BIND=$NODE_ADDRESS REDIS_PORT=6379 REDIS_DIR=/var/lib/valkey
export REDIS_SOURCE='' REDIS_SOURCE_FILE=/etc/catalog/redis-source.conf
render redis-source.conf "$REDIS_SOURCE_FILE" 600
render redis.conf /etc/catalog/redis.conf 600
chown valkey /etc/catalog /etc/catalog/redis.conf "$REDIS_SOURCE_FILE"
as valkey setsid "$VALKEY" /etc/catalog/redis.conf >/var/log/valkey.log 2>&1 </dev/null &
