#!/usr/bin/env bash
# PostgreSQL: the primary, or with PRIMARY_ADDRESS a replica that streams from it. Run again, it starts what is there.
set -euo pipefail
# shellcheck source=base.sh
source "$(dirname "$0")/base.sh"

data=/var/lib/postgres/data
account postgres 64001
install -d -o postgres -g postgres -m 700 /var/lib/postgres
# Where a command over ssh finds it, as on a real node.
ln -sf "$(command -v psql)" "$(command -v pg_isready)" /usr/local/bin/

configure() {
  database_sizes "$node_memory_mb" 2 shared
  export PG_LISTEN_ADDRESSES='*' PG_PORT=5432 PG_MAX_CONNECTIONS=100 PG_ADMIN_METHOD=peer PG_SLOT_WAL_KEEP_SIZE=1GB
  render pg_hba.conf "$data/pg_hba.conf" 600
  render postgresql.conf "$data/conf.d/catalog.conf" 600
  echo "include_dir = 'conf.d'" >>"$data/postgresql.conf"
  chown -R postgres:postgres "$data/pg_hba.conf" "$data/conf.d"
}

start() {
  as postgres pg_ctl -D "$data" -l /var/lib/postgres/log -w -t 60 start >/dev/null ||
    { tail -n 5 /var/lib/postgres/log >&2; return 1; }
}

roles() {
  as postgres createdb -U postgres catalog
  as postgres psql -qX -v ON_ERROR_STOP=1 -U postgres -f "$REPOSITORY/db/roles.sql" catalog
  # By standard input: an argument could be read by every account.
  as postgres psql -qX -v ON_ERROR_STOP=1 -U postgres catalog <<SQL
ALTER ROLE catalog_loader LOGIN PASSWORD '$LOADER_PASSWORD';
ALTER ROLE catalog_api LOGIN PASSWORD '$API_PASSWORD';
CREATE ROLE catalog_replica REPLICATION LOGIN PASSWORD '$REPLICA_PASSWORD';
SQL
}

if [[ -e $data/PG_VERSION ]]; then
  start
elif [[ -z ${PRIMARY_ADDRESS:-} ]]; then
  as postgres initdb -D "$data" -U postgres -A peer -E UTF8 --locale C --no-instructions --no-sync >/dev/null
  configure
  start
  roles
else
  PGPASSWORD=$REPLICA_PASSWORD as postgres pg_basebackup -D "$data" -h "$PRIMARY_ADDRESS" -U catalog_replica \
    -R -C -S "$(hostname | tr - _)" -X stream -c fast
  start
fi
