#!/usr/bin/env bash
# Makes this machine (Debian 12 or 13, Ubuntu 24.04) a whole catalog. Running it again changes nothing.
set -euo pipefail
umask 022
export LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
inventory=/etc/catalog/inventory
settings=$inventory/group_vars/all/settings.yml
tools=/opt/catalog/ansible
node=/opt/catalog/node/bin/node

usage() {
  cat <<'TEXT'
node.sh --role all [--release FILE] [NAME=VALUE…] [options of ansible-playbook], as root; without options: as in the last run

  --role all      every role on this machine. A fleet is made by npm run fleet from the administrator's machine
  --release FILE  catalog-ID.tar of npm run fleet -- release, for the first run; default: the newest in releases/ of this clone
  NAME=VALUE      a variable of group_vars/all.yml, such as workers=4 or rate_limit=100, kept for later runs
  --check         say what would change; with --diff, how
  --help

Passwords are in /etc/catalog/inventory/group_vars/all/secrets.yml. They are made for a new database, and never replaced.
TEXT
}

refuse() {
  printf 'node.sh: %s\n' "$1" >&2
  exit 2
}

# As JSON: Ansible would split a NAME=VALUE at spaces and quotes.
quoted() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

distribution() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release; }

# apt WORDS…: another apt may run, as at a first boot. Of its locks, only that of packages can be waited for by an option.
apt() {
  local said
  until said=$(DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=900 "$@" 2>&1); do
    [[ $said == *'Could not get lock'* && $SECONDS -lt 900 ]] || refuse "apt-get $*: $said"
    sleep 5
  done
}

# read_words WORDS…: sets options, for ansible-playbook, and values, NAME=VALUE
read_words() {
  local built
  role='' options=() values=()
  while (($# > 0)); do
    case $1 in
      --help) usage && exit 0 ;;
      --role | --release)
        (($# > 1)) || refuse "$1 needs a value"
        if [[ $1 == --role ]]; then role=$2; else options+=(-e "{\"release_file\": $(quoted "$(readlink -m "$2")")}"); fi
        shift
        ;;
      [a-z]*=*)
        [[ $1 =~ ^[a-z_]+=[A-Za-z0-9.,:/@_-]*$ ]] || refuse "$1: must be NAME=VALUE without spaces and quotes"
        values+=("$1")
        ;;
      *) options+=("$1") ;;
    esac
    shift
  done
  [[ -z $role || $role == all ]] || refuse "--role $role: only all; npm run fleet -- site makes a fleet, from the administrator's machine"
  [[ -n $role || -e $inventory/hosts.yml ]] || refuse '--role all is missing; node.sh --help shows the options'
  # A clone has none: its release is asked later.
  built=$(cat "$here/../../architecture" 2>/dev/null || uname -m)
  [[ $built == "$(uname -m)" ]] || refuse "this release is for $built, and this machine is $(uname -m): take one of $built"
  built=$(cat "$here/../../distributions" 2>/dev/null || distribution)
  [[ " $built " == *" $(distribution) "* ]] || refuse "this release is for $built, and this machine is $(distribution): take one for it"
  [[ $EUID == 0 ]] || refuse 'run this as root: it installs packages and services'
}

# Ansible from the lock file: a release brings its packages, a clone fetches them from PyPI.
install_tools() {
  local wheels=''
  python3 -c 'import ensurepip' 2>/dev/null || {
    apt update
    apt install -y --no-install-recommends python3-venv ca-certificates
  }
  if compgen -G "$here/../../wheels/ansible_core-*" >/dev/null; then wheels=$here/../../wheels; fi
  # pip has its own list of authorities, without those of a company.
  export PIP_CERT=/etc/ssl/certs/ca-certificates.crt
  mkdir -p "${tools%/*}"
  "$here/venv.sh" "$tools" "$here/requirements.lock" "$wheels" >/dev/null
}

write_inventory() {
  local value
  (umask 077 && mkdir -p "${settings%/*}")
  [[ -e $inventory/hosts.yml ]] || cp "$here/inventory.one.yml" "$inventory/hosts.yml"
  touch "$settings"
  for value in "${values[@]}"; do
    sed -i "/^${value%%=*}:/d" "$settings"
    echo "${value%%=*}: '${value#*=}'" >>"$settings"
  done
}

play() { "$tools/bin/ansible-playbook" -i "$inventory/hosts.yml" "$here/$1.yml" "${@:2}"; }

main() {
  read_words "$@"
  install_tools
  export ANSIBLE_CONFIG=$here/ansible.cfg PATH=$tools/bin:$PATH
  write_inventory
  if [[ ! -e ${settings%/*}/secrets.yml ]]; then
    # Clients of a database that exists use its passwords: new ones would lock them out.
    compgen -G '/etc/postgresql/*/main/conf.d/catalog.conf' >/dev/null &&
      refuse "${settings%/*}/secrets.yml is missing, and a database exists: bring the file back from a backup or another node"
    play secrets
  fi
  play site "${options[@]}"
  # Programs of this machine below lib/floors.json, a line for each: their upgrade is the operator's.
  [[ ! -x $node ]] || "$node" -p 'require(process.argv[1]).lacksOfNode().join("\n")' "$here/../lib/floors.js" | sed '/^$/d; s/^/node.sh: /'
}

main "$@"
