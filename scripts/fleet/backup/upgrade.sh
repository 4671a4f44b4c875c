#!/usr/bin/env bash
# upgrade.sh STEP: brings servers that Patroni runs from the former PostgreSQL to the newest that is installed. Steps, in the order of
# scripts/runbook/upgrade-a-fleet.md:
#   python  packages of the loader and of Patroni for the Python that this machine has now
#   wait    on each server but the primary: PostgreSQL serves reads without Patroni, which would make it the primary
#   data    on the primary: its data is upgraded by hard links while writes wait. The others keep the former data
#   copy    on each of the others: it copies the primary
#   back    before the data is upgraded, on each server, the primary first: Patroni runs the former PostgreSQL
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=shared.sh
source "$here/shared.sh"
program=catalog-upgrade
unset PGOPTIONS # those of a dump

reading=catalog-reading
data=$(sed -n 's/^ *data_dir: //p' "$patroni" 2>/dev/null) || true
former=$(basename "$(dirname "$data")")
newest=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tail -n 1)
new=/var/lib/postgresql/$newest/main draft=/var/lib/postgresql/$newest/main.upgrading
programs=/usr/lib/postgresql/$newest/bin

make_packages() {
  local release=/opt/catalog/current
  "$here/../venv.sh" "$release/venv" "$release/etl/requirements.lock" "$release/wheels"
  "$here/../venv.sh" /opt/catalog/patroni /etc/catalog/patroni.lock "$release/wheels" --system
}

# upgraded: whether the primary has the newest PostgreSQL. Fails if there is none.
upgraded() {
  local host
  host=$(patronictl list -f tsv | awk -F '\t' '$4 == "Leader" { print $3 }')
  [[ $host ]] && curl -fsS "http://$host:8008/patroni" | grep -q "\"server_version\": $newest"
}

# takes_writes: of this server; empty: it does not run
takes_writes() { as_postgres psql -X -q -A -t -d postgres -c 'SELECT NOT pg_is_in_recovery()' 2>/dev/null; }

wait_beside() {
  if systemctl is-active -q "$reading"; then return; fi
  case $(takes_writes) in
    t) echo 'this is the primary: run catalog-upgrade wait on all others, then data here' && return ;;
    '') fail 'nothing was changed: PostgreSQL does not answer' ;;
  esac
  # With it the replica follows the primary; it goes with Patroni.
  cp -a /run/patroni/pgpass /run/catalog-pgpass
  systemctl disable -q --now patroni
  install -d -o postgres /run/patroni
  mv /run/catalog-pgpass /run/patroni/pgpass
  systemd-run -q --collect --unit="$reading" --uid=postgres -p KillMode=mixed -p KillSignal=SIGINT "/usr/lib/postgresql/$former/bin/postgres" -D "$data"
}

# In the folder where pg_upgrade puts its sockets.
pg_upgrade() {
  (cd "$(dirname "$draft")" && setpriv --reuid postgres --regid postgres --init-groups "$programs/pg_upgrade" --link "$@" \
    -b "/usr/lib/postgresql/$former/bin" -d "$data" -D "$draft" -o '-c synchronous_standby_names=')
}

keep_former() {
  if [[ -e $data/global/pg_control.old ]]; then mv "$data/global/pg_control.old" "$data/global/pg_control"; fi
  rm -rf "$draft"
  systemctl enable -q --now patroni
}

# From here on Patroni runs the newest, also after a boot.
use_newest() {
  local file
  for file in /etc/pgbackrest.conf /etc/systemd/system/patroni.service "$patroni"; do
    if [[ -e $file ]]; then sed -i "s|/postgresql/$former/|/postgresql/$newest/|g" "$file"; fi
  done
  systemctl daemon-reload
  systemctl enable -q --now patroni
}

upgrade_data() {
  require_alone '' 'catalog-upgrade wait'
  [[ $(takes_writes) == t ]] || fail 'nothing was changed: this server does not take writes. If an earlier run was interrupted, run catalog-upgrade back'
  [[ ! -e $new ]] || fail "nothing was changed: $new exists already. If it is not needed, run rm -r $new, then this again"
  rm -rf "$draft"
  as_postgres "$programs/initdb" -D "$draft" --locale=C --encoding=UTF8 --data-checksums >/dev/null
  pg_upgrade --check || { rm -rf "$draft" && fail 'nothing was changed: pg_upgrade says why above'; }
  systemctl stop patroni
  pg_upgrade || { keep_former && fail "PostgreSQL $former serves again: pg_upgrade says above why the data is not upgraded"; }
  mv "$draft" "$new"
  rm -f "$(dirname "$new")/delete_old_cluster.sh" # the former data is removed when all is well
  forget_server
  use_newest
  until [[ $(takes_writes) == t ]]; do
    systemctl is-active -q patroni || fail 'Patroni does not start: journalctl -u patroni says why'
    sleep 0.2
  done
  echo 'writes are taken; now run catalog-upgrade copy on the other servers'
  if [[ -e /etc/pgbackrest.conf ]]; then as_postgres pgbackrest --stanza=catalog stanza-upgrade; fi
  # pg_upgrade leaves no statistics behind.
  as_postgres "$programs/vacuumdb" --all --analyze-in-stages --quiet
}

copy_primary() {
  upgraded || fail "nothing was changed: no primary has PostgreSQL $newest yet: run catalog-upgrade data there"
  systemctl stop "$reading*"
  use_newest
  until [[ $(patronictl list -f tsv | awk -F '\t' -v own="$own" '$2 == own { print $5 }') == streaming ]]; do
    systemctl is-active -q patroni || fail 'Patroni does not start: journalctl -u patroni says why'
    sleep 1
  done
}

go_back() {
  if upgraded; then fail "nothing was changed: the primary has PostgreSQL $newest already: run catalog-upgrade copy"; fi
  systemctl stop "$reading*"
  keep_former
}

main() {
  is_roots || fail 'run this as root: it restarts Patroni'
  [[ $data ]] || fail 'this machine has no server that Patroni runs'
  if [[ ${1:-} == python ]]; then
    make_packages
    return
  fi
  [[ ${1:-} =~ ^(wait|data|copy|back)$ ]] || wrong_use 'python, wait, data, copy or back'
  if [[ $former == "$newest" ]]; then
    [[ $1 == copy ]] || fail "nothing was changed: this server has PostgreSQL $newest, the newest that is installed"
    return
  fi
  case $1 in
    wait) wait_beside ;;
    data) upgrade_data ;;
    copy) copy_primary ;;
    back) go_back ;;
  esac
}

main "$@"
