#!/usr/bin/env bash
# Makes this machine (Debian 12, Ubuntu 24.04) a node of the catalog. Running it again changes nothing.
set -euo pipefail
umask 022
export LC_ALL=C PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=lib/make.sh
source "$here/lib/make.sh"
# shellcheck source=lib/units.sh
source "$here/lib/units.sh"
# shellcheck source=lib/secrets.sh
source "$here/lib/secrets.sh"
# shellcheck source=lib/sizes.sh
source "$here/lib/sizes.sh"
# shellcheck source=roles/base.sh
source "$here/roles/base.sh"
# shellcheck source=roles/db.sh
source "$here/roles/db.sh"
# shellcheck source=roles/cache.sh
source "$here/roles/cache.sh"
# shellcheck source=roles/app.sh
source "$here/roles/app.sh"
# shellcheck source=roles/lb.sh
source "$here/roles/lb.sh"

usage() {
  cat <<'TEXT'
node.sh --role db|cache|app|lb|all [options], as root; without --role: the options of the last run, and those given

  --role ROLE         what this machine is; all: everything on one
  --address IP        its address in the network of the nodes (all: 127.0.0.1)
  --network CIDR      db: the one network whose addresses may connect, such as 10.0.0.0/24
  --max-connections N db: of PostgreSQL, on a replica at least its primary's (default 100; all: enough for its workers)
  --replica-of IP     db, cache: follow this primary
  --database IP       app: address of the primary
  --cache IP          app: address of Redis; without it the workers serve from PostgreSQL alone
  --replica IP        app: a replica to read from, the nearest
  --workers N         app, all: worker processes (default: one per core)
  --upstreams LIST    lb: the workers, HOST:PORT,HOST:PORT
  --port P            lb, all: public port (default 80), beside 443 for TLS
  --rate-limit N      lb, all: requests a second of one client address, 0 for no limit (default: CATALOG_RATE_LIMIT,
                      then that of the last run, also with --role)
  --dry-run           print the steps, change nothing
  --help

Passwords: API_PASSWORD, LOADER_PASSWORD, REPLICA_PASSWORD, REDIS_PASSWORD in the environment or in
/etc/catalog/secrets.env (mode 0600); roles db and all generate missing ones for a new database.
A machine has one role; another one is refused.
TEXT
}

refuse() {
  printf 'node.sh: %s\n' "$1" >&2
  exit 2
}
wrong_use() { refuse "$1; node.sh --help shows the options"; }

# The options of the last run without --dry-run, one option or value a line.
options_file=/etc/catalog/node.options

# last_value OPTION: its value in the last run
last_value() { sed -n "/^$1\$/{n;p}" "$options_file" 2>/dev/null | tail -n 1 || true; }

# An option that this release does not know may come from the file, which an older release wrote.
of_last_run() {
  if grep -qxs -e "$1" "$options_file"; then echo ", in $options_file: remove its two lines, or give all options again"; fi
}

read_options() {
  role='' address='' network='' replica_of='' database='' cache='' replica='' workers=$(nproc) upstreams='' public_port=80 rate_limit='' max_connections=100
  while (($# > 0)); do
    case $1 in
      --dry-run) dry_run=yes ;;
      --help) usage && exit 0 ;;
      --role | --address | --network | --replica-of | --database | --cache | --replica | --workers | --upstreams | --port | --rate-limit | --max-connections)
        (($# > 1)) || wrong_use "$1 needs a value"
        local name=${1#--}
        name=${name//-/_}
        [[ $name != port ]] || name=public_port
        printf -v "$name" '%s' "$2"
        shift
        ;;
      *) wrong_use "unknown option $1$(of_last_run "$1")" ;;
    esac
    shift
  done
}

# Another role would remove passwords, use the memory, and close addresses that clients of the first role use.
refuse_second_role() {
  local own
  own=$(last_value --role)
  [[ -z $own || $own == "$role" ]] ||
    refuse "this machine has the role $own, and a machine has one role: run this with --role $role on another machine, or without --role to renew this one. If $own was a mistake and it holds no data, remove $options_file first"
}

require() {
  local option
  for option in "$@"; do
    [[ -n ${!option} ]] || wrong_use "--role $role needs --${option//_/-}"
  done
}

# Addresses are used in URLs and in HOST:PORT, where IPv6 would need brackets. PostgreSQL ignores a wrong network when it
# reloads, and does not start with it later.
check_addresses() {
  local option hint='IPv6 is not supported; give an IPv4 address'
  local number='(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
  local ipv4="$number(\.$number){3}"
  for option in address network replica_of database cache replica; do
    [[ ${!option} != *:* ]] || wrong_use "--${option//_/-} ${!option}: $hint"
  done
  for option in address replica_of database cache replica; do
    [[ -z ${!option} || ${!option} =~ ^$ipv4$ ]] || wrong_use "--${option//_/-} ${!option}: must be an IPv4 address"
  done
  [[ -z $network || $network =~ ^$ipv4/(3[0-2]|[12]?[0-9])$ ]] ||
    wrong_use "--network $network: must be one network such as 10.0.0.0/24"
  [[ ! $upstreams =~ :[^,]*: ]] || wrong_use "--upstreams $upstreams: $hint"
}

check_options() {
  check_addresses
  [[ $workers =~ ^[1-9][0-9]{0,2}$ ]] || wrong_use "--workers $workers: must be a whole number from 1 to 999"
  worker_port=3030 admin_port=9030 machine=own
  case $role in
    db) require address network ;;
    cache) require address ;;
    app) require address database ;;
    lb) require address upstreams ;;
    all)
      address=127.0.0.1 network=127.0.0.1/32 database=127.0.0.1 cache=127.0.0.1 machine=shared
      upstreams=$(seq -f "127.0.0.1:%g" -s , "$worker_port" $((worker_port + workers - 1)))
      ;;
    '') wrong_use '--role is missing' ;;
    *) wrong_use "--role $role: must be db, cache, app, lb or all" ;;
  esac
  refuse_second_role
  [[ $max_connections =~ ^[1-9][0-9]{1,3}$ ]] || wrong_use "--max-connections $max_connections: must be a whole number from 10 to 9999"
  [[ $public_port =~ ^[1-9][0-9]{0,4}$ && $public_port -le 65535 && $public_port != 443 ]] ||
    wrong_use "--port $public_port: must be a port other than 443, which has TLS"
  [[ $rate_limit =~ ^(0|[1-9][0-9]{0,4})$ ]] || wrong_use "--rate-limit $rate_limit: must be a whole number of requests a second, or 0"
  [[ $EUID == 0 ]] || refuse 'run this as root: it installs packages and services'
  # shellcheck source=/dev/null
  case $(. /etc/os-release && echo "$ID-$VERSION_ID") in
    debian-12 | ubuntu-24.04) ;;
    *) refuse 'this system is neither Debian 12 nor Ubuntu 24.04: use one of these' ;;
  esac
}

# Keeps the last value of each option, or the file would grow with each run.
without_repeats() {
  local -A values=()
  local name names=()
  while (($# > 0)); do
    [[ -v values[$1] ]] || names+=("$1")
    values[$1]=$2
    shift 2
  done
  for name in "${names[@]}"; do printf '%s\n%s\n' "$name" "${values[$name]}"; done
}

# take_options WORDS…: with --role these are all options, else they override those of the last run. The rate limit is never lifted
# silently: the option overrides the variable, and that the last run.
take_options() {
  local limit last=()
  read_options "$@"
  limit=${rate_limit:-${CATALOG_RATE_LIMIT:-$(last_value --rate-limit)}}
  words=("$@")
  if [[ -z $role && -f $options_file ]]; then
    mapfile -t last <"$options_file"
    words=("${last[@]}" "$@")
  fi
  if [[ -n $limit ]]; then words+=(--rate-limit "$limit"); fi
  read_options "${words[@]}"
  rate_limit=${limit:-0}
}

main() {
  local part words
  take_options "$@"
  check_options
  source=$(cd "$here/../.." && pwd)
  memory=$(memory_mb) cores=$(nproc)
  role_secrets
  # Before the long part, so that an interrupted run resumes with the same role and options.
  if [[ -z $dry_run ]]; then ensure_file "$options_file" 644 root:root "$(without_repeats "${words[@]}")"; fi
  role_base
  if [[ $role == all ]]; then
    for part in db cache app lb; do "role_$part"; done
  else
    "role_$role"
  fi
  say "$role: $changes changes${dry_run:+ would be made}"
}

main "$@"
