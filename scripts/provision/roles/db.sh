# shellcheck shell=bash
# PostgreSQL of the distribution, with the roles, tables, loader and backups of the catalog; sourced.

postgres_version() {
  local newest
  newest=$(apt-cache depends postgresql 2>/dev/null | sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p')
  if [[ -n $newest ]]; then echo "$newest"; else echo 15; fi
}

as_postgres() { (cd / && setpriv --reuid postgres --regid postgres --init-groups "$@"); }

has_cluster() { [[ -f $pgdata/PG_VERSION ]]; }
has_cluster_settings() { [[ -e /etc/postgresql/$pg_version/main/postgresql.conf ]]; }
# A new, empty cluster instead of an unmounted disk would serve a catalog without data.
check_data() {
  if [[ -n $replica_of ]] || has_cluster || ! has_cluster_settings; then return; fi
  fail "$pgdata is missing, but its settings exist: mount its disk. If the data is lost, run pg_dropcluster $pg_version main and then this again, which makes an empty cluster"
}
make_cluster() {
  # The locale C sorts by bytes with every version of the C library, so an upgrade never corrupts an index.
  if ! has_cluster_settings; then
    quietly pg_createcluster --start-conf auto --locale C --encoding UTF8 "$pg_version" main -- --data-checksums
  fi
  if [[ -n $replica_of ]]; then copy_primary; fi
}

# The slot keeps the WAL of the primary that this replica still needs, up to the limit in files/postgresql.conf.
copy_primary() {
  local slot="replica_${address//[.:]/_}"
  local primary="host=$replica_of user=catalog_replica"
  export PGPASSWORD=$REPLICA_PASSWORD
  psql -X -q "$primary replication=true" -c "DROP_REPLICATION_SLOT $slot" >/dev/null 2>&1 || true
  # Copied beside its path: a partial copy there would look like a cluster that is not a replica.
  rm -rf "$pgdata" "$pgdata.copying"
  as_postgres pg_basebackup --dbname "$primary" --pgdata "$pgdata.copying" --write-recovery-conf \
    --create-slot --slot "$slot" --checkpoint fast || fail "the primary $replica_of cannot be copied; see the message above, then run this again"
  unset PGPASSWORD
  mv "$pgdata.copying" "$pgdata"
}

# As pg_basebackup wrote it, so after a promotion it is still the old primary.
followed_primary() {
  sed -n "s/^primary_conninfo = .*[' ]host='*\([^' ]*\).*/\1/p" "$pgdata/postgresql.auto.conf" | tail -n 1
}

how_to_recreate() { echo "systemctl stop postgresql@$pg_version-main, move $pgdata away, then run this again, which copies $replica_of"; }

check_replication() {
  local primary
  if [[ -z $replica_of ]] || [[ -n $dry_run && ! -e $pgdata ]]; then return; fi
  [[ -f $pgdata/standby.signal ]] || fail "$pgdata is not a replica: to replace it, move it away first"
  primary=$(followed_primary)
  [[ $primary == "$replica_of" ]] ||
    fail "$pgdata follows ${primary:-no primary}, not $replica_of. To recreate it, run $(how_to_recreate)"
}

receives_wal() { [[ -n $(as_postgres psql -X -At -d postgres -c 'SELECT 1 FROM pg_stat_wal_receiver') ]]; }

# Without its slot, or with an old password, a replica serves ever older rows. Not reported while the primary is down, because
# this may be the only copy.
check_stream() {
  if ! database_answers || ! pg_isready -q -t 3 -h "$replica_of"; then return; fi
  for _ in {1..15}; do
    if receives_wal; then return; fi
    sleep 1
  done
  fail "$pgdata receives nothing from $replica_of; the log of PostgreSQL says why. If a password or its slot changed, run $(how_to_recreate)"
}

db_configuration() {
  local disk
  export PG_PORT=5432 PG_ADMIN_METHOD=peer PG_MAX_CONNECTIONS=$max_connections NODE_NETWORK=$network
  export PG_LISTEN_ADDRESSES=127.0.0.1
  [[ $role == all ]] || PG_LISTEN_ADDRESSES="127.0.0.1,$address"
  [[ $role != all ]] || PG_MAX_CONNECTIONS=$(connections_for "$workers")
  # The WAL for a lost replica may take an eighth of the disk.
  disk=$(df -Pm /var/lib/postgresql 2>/dev/null || df -Pm /var/lib) # for --dry-run before PostgreSQL is installed
  PG_SLOT_WAL_KEEP_SIZE="$(clamp $(($(awk 'END { print $2 }' <<<"$disk") / 8)) 1024 65536)MB"
  export PG_SLOT_WAL_KEEP_SIZE
  database_sizes "$memory" "$cores" "$machine"
  local etc=/etc/postgresql/$pg_version/main drop_in=/etc/systemd/system/postgresql@.service.d/catalog.conf
  ensure_rendered "$etc/conf.d/catalog.conf" 644 postgres:postgres postgresql.conf
  ensure_rendered "$etc/pg_hba.conf" 640 postgres:postgres pg_hba.conf
  ensure_rendered "$drop_in" 644 root:root postgresql-online.conf
  ensure_read "postgresql@$pg_version-main.service" "$drop_in"
  ensure_enabled postgresql.service multi-user.target
  ensure_running "postgresql@$pg_version-main.service" restart "$etc/conf.d/catalog.conf"
  ensure_running "postgresql@$pg_version-main.service" reload "$etc/pg_hba.conf"
}

database_answers() { as_postgres psql -X -q -d postgres -c 'SELECT 1' >/dev/null 2>&1; }

# At a reload PostgreSQL keeps its old rules if it cannot read the new ones, but it would not start with them.
check_access_rules() {
  local faults
  if ! database_answers; then return; fi
  faults=$(as_postgres psql -X -At -d postgres -c "SELECT string_agg(format('line %s: %s', line_number, error), '; ') FROM pg_hba_file_rules WHERE error IS NOT NULL")
  [[ -z $faults ]] || fail "PostgreSQL cannot read its pg_hba.conf and would not start again: $faults"
}

has_database() { [[ $(as_postgres psql -X -At -d postgres -c "SELECT 1 FROM pg_database WHERE datname = 'catalog'") == 1 ]]; }
make_database() { quietly as_postgres createdb catalog; }

# Logs in, which verifies that the server has the password of the file.
logs_in() {
  local login="host=127.0.0.1 user=$1 dbname=catalog" question='SELECT 1'
  [[ $1 != catalog_replica ]] || login+=' replication=true' question=IDENTIFY_SYSTEM
  PGPASSWORD=${!2} psql -X -q "$login" -c "$question" >/dev/null 2>&1
}
set_login() {
  {
    echo 'BEGIN;'
    cat "$source/db/roles.sql"
    echo "SELECT 'CREATE ROLE catalog_replica LOGIN REPLICATION' WHERE to_regrole('catalog_replica') IS NULL \\gexec"
    # On standard input, because every account can see arguments.
    echo "ALTER ROLE $1 LOGIN PASSWORD '${!2}';"
    echo 'COMMIT;'
  } | as_postgres psql -X -q -v ON_ERROR_STOP=1 -d catalog >/dev/null || fail "the role $1 cannot be made"
}

has_tables() { [[ $(as_postgres psql -X -At -d catalog -c "SELECT to_regclass('catalog_meta.data_version') IS NOT NULL") == t ]]; }
make_tables() { quietly catalog-etl prepare; }

db_contents() {
  if [[ -n $dry_run ]] && ! { is_installed postgresql && database_answers; }; then
    say 'would make the database catalog with its roles and tables, once PostgreSQL runs'
    return
  fi
  if ! database_answers; then
    note 'PostgreSQL does not run here: once it runs, run this again to make the database, its roles and tables'
    return
  fi
  make_so 'make the database catalog' has_database make_database
  make_so 'make the role catalog_loader' logs_in set_login catalog_loader LOADER_PASSWORD
  make_so 'make the role catalog_api' logs_in set_login catalog_api API_PASSWORD
  make_so 'make the role catalog_replica' logs_in set_login catalog_replica REPLICA_PASSWORD
  make_so 'make the tables that outlive a load' has_tables make_tables
}

role_db() {
  local pg_version pgdata
  ensure_packages postgresql-common
  # The package's own cluster would have the encoding of the shell that installs it.
  ensure_rendered /etc/postgresql-common/createcluster.d/catalog.conf 644 root:root createcluster.conf
  ensure_packages postgresql postgresql-client
  pg_version=$(postgres_version)
  pgdata=/var/lib/postgresql/$pg_version/main
  check_data
  make_so "make the database cluster $pgdata${replica_of:+ as a copy of $replica_of}" has_cluster make_cluster
  check_replication
  db_configuration
  check_access_rules
  ensure_rendered /etc/catalog/loader.env 600 root:root loader.env
  ensure_rendered /usr/local/sbin/catalog-etl 755 root:root "$here/../fleet/roles/db/files/catalog-etl"
  ensure_directory /var/lib/catalog/rejects 750 catalog:catalog
  ensure_directory /var/backups/catalog 700 postgres:postgres
  ensure_link /usr/local/sbin/catalog-backup "$home/current/scripts/fleet/backup/backup.sh"
  ensure_link /usr/local/sbin/catalog-restore "$home/current/scripts/fleet/backup/restore.sh"
  ensure_rendered /etc/systemd/system/catalog-backup.service 644 root:root "$here/../fleet/roles/db/files/catalog-backup.service"
  ensure_rendered /etc/systemd/system/catalog-backup.timer 644 root:root "$here/../fleet/roles/db/files/catalog-backup.timer"
  ensure_enabled catalog-backup.timer timers.target
  ensure_running catalog-backup.timer restart /etc/systemd/system/catalog-backup.timer
  if [[ -z $replica_of ]]; then db_contents; else check_stream; fi
}
