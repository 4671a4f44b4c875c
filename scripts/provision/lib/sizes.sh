# shellcheck shell=bash
# Memory settings of PostgreSQL and Redis from the size of the machine, as recommended in
# postgresql.org/docs/current/runtime-config-resource.html; sourced.

clamp() {
  local value=$1 low=$2 high=$3
  if ((value < low)); then value=$low; elif ((value > high)); then value=$high; fi
  echo "$value"
}

# memory_mb [MEMINFO]: rounded, because an update of the kernel changes it by some MB, which must not restart PostgreSQL and Redis.
# Steps of 256 would be too large for a small machine.
memory_mb() {
  awk '/^MemTotal:/ { mb = int($2 / 1024); step = mb < 2048 ? 64 : 256; print mb - mb % step }' "${1:-/proc/meminfo}"
}

# connections_for WORKERS: 5 for each must be at most 80 % of all without the superuser's 3
# (server/store/connection-budget.js). The minimum is PostgreSQL's default.
connections_for() { clamp $((7 * $1 + 3)) 100 7000; }

# database_sizes MEMORY_MB CORES own|shared: exports the values of files/postgresql.conf. "shared": workers, Redis and nginx
# run on the same machine, so PostgreSQL gets half.
database_sizes() {
  local memory=$1 cores=$2 parts=1
  [[ $3 == own ]] || parts=2
  PG_SHARED_BUFFERS="$(clamp $((memory / 4 / parts)) 64 16384)MB"
  PG_EFFECTIVE_CACHE_SIZE="$(clamp $((memory * 3 / 4 / parts)) 128 196608)MB"
  PG_MAINTENANCE_WORK_MEM="$(clamp $((memory / 16 / parts)) 32 1024)MB"
  PG_WORK_MEM="$(clamp $((memory / 256 / parts)) 4 64)MB"
  PG_MAX_WAL_SIZE="$(clamp $((memory / 2 / parts)) 512 8192)MB"
  PG_PARALLEL_MAINTENANCE_WORKERS="$(clamp "$cores" 1 4)"
  export PG_SHARED_BUFFERS PG_EFFECTIVE_CACHE_SIZE PG_MAINTENANCE_WORK_MEM PG_WORK_MEM PG_MAX_WAL_SIZE
  export PG_PARALLEL_MAINTENANCE_WORKERS
}

# cache_sizes MEMORY_MB own|shared: exports REDIS_MAXMEMORY. A quarter stays free for buffers and fragmentation.
cache_sizes() {
  local memory=$1 share
  if [[ $2 == own ]]; then share=$((memory * 3 / 4)); else share=$((memory / 16)); fi
  REDIS_MAXMEMORY="$(clamp "$share" 32 65536)mb"
  export REDIS_MAXMEMORY
}
