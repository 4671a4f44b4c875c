# shellcheck shell=bash
# Shared by the other scripts of this folder; sourced. The server is that of libpq's environment (PGHOST, PGUSER, …); on a node it is
# the local socket, as the user postgres.

program=$(basename "$0")
# Resolved before the current folder changes.
program_file=$(readlink -f "$0")

fail() {
  printf '%s: %s\n' "$program" "$1" >&2
  exit 1
}

wrong_use() {
  printf '%s: usage: %s %s\n' "$program" "$program" "$1" >&2
  exit 2
}

# On a node root runs the command, but PostgreSQL admits the user postgres.
is_roots() { [[ $EUID == 0 && -z ${PGHOST:-} ]]; }
as_postgres() { (cd / && exec setpriv --reuid postgres --regid postgres --init-groups "$@"); }
become_postgres() {
  if is_roots; then cd / && exec setpriv --reuid postgres --regid postgres --init-groups "$program_file" "$@"; fi
}

# No setting of server, database or shell may limit the time of a dump, or let a function of another schema replace a built-in one.
PGOPTIONS="${PGOPTIONS:-} -c search_path=pg_catalog -c default_transaction_isolation=read\\ committed"
PGOPTIONS+=' -c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0 -c client_min_messages=warning'
export PGOPTIONS

sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

# fingerprint_of DATABASE [OPTION…]
fingerprint_of() { sql -d "$@" -f "$here/fingerprint.sql"; }

# begin_era DATABASE: shows workers and followers of changes that it is another catalog: caches have bodies and cursors of the one before. A
# backup of an earlier release has no era, but a version.
begin_era() {
  sql -d "$1" >/dev/null <<'SQL'
SELECT format('SELECT %s()', coalesce(to_regproc('catalog_log.begin_era'), 'catalog_meta.bump_version'::regproc)) \gexec
SQL
}

# prepare DATABASE: applies the migrations of this release. An older backup lacks the later ones, and the writer would wait for them.
prepare() {
  local root=$here/../../.. python
  python=$root/venv/bin/python
  [[ -x $python ]] || python=$root/.runtime/venv/bin/python # of a clone
  PGHOST=${PGHOST:-/var/run/postgresql} PYTHONPATH=$root PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 \
    "$python" -m etl prepare --database-url "dbname=$1" ||
    fail "the migrations of this release could not be applied to $1: the loader says why above; what is served is unchanged. Run this again"
}

patroni=/etc/catalog/patroni.yml
own=$(sed -n 's/^name: //p' "$patroni" 2>/dev/null) || true

# require_alone [STATE [REMEDY]]: where Patroni runs, another server would become the primary, or follow files that are about to be replaced.
require_alone() {
  [[ -e $patroni ]] || return 0
  local state=${1:-nothing was changed} others
  others=$(patronictl list -f tsv | awk -F '\t' -v own="$own" 'NR > 1 && $2 != own && $5 != "stopped" { printf " %s", $2 }') ||
    fail "$state: etcd does not answer patronictl list, which shows the servers that run. Bring etcd back first"
  [[ -z $others ]] || fail "$state: Patroni runs on$others, and would take over. Run ${2:-systemctl stop patroni} there, then this again"
}

# in_etcd WORD…: etcdctl, with the servers that Patroni uses
in_etcd() { etcdctl --endpoints="$(sed -n '/^etcd3:/,/hosts:/s/^ *hosts: \[\(.*\)\]/\1/p' "$patroni" | tr -d '" ')" "$@"; }

# forget_server: what etcd knows of the files that are replaced goes, or Patroni would wait for their last row. The settings of all servers stay.
forget_server() {
  local key
  for key in initialize status sync failsafe history; do
    in_etcd del "/service/catalog/$key" >/dev/null || fail 'etcd does not answer: bring it back, then run this again'
  done
}
