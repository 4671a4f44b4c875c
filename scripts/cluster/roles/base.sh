# shellcheck shell=bash
# What the roles share; sourced. The repository and the addresses come from the environment (setup.js).

: "${REPOSITORY:?}" "${NODE_ADDRESS:?}" "${NODE_NETWORK:?}"
provision=$REPOSITORY/scripts/provision
# shellcheck source=../../provision/lib/sizes.sh
source "$provision/lib/sizes.sh"
# shellcheck disable=SC2034  # the roles read it
node_memory_mb=1024

# render FILE TARGET MODE: the same file that a real node gets.
render() {
  mkdir -p "$(dirname "$2")"
  (umask 077 && bash "$provision/render.sh" "$1" >"$2")
  chmod "$3" "$2"
}

account() {
  grep -q "^$1:" /etc/passwd || echo "$1:x:$2:$2::/var/lib/$1:/bin/sh" >>/etc/passwd
  grep -q "^$1:" /etc/group || echo "$1:x:$2:" >>/etc/group
}

as() {
  local user=$1
  shift
  setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
}
