#!/usr/bin/env bash
# listening.sh ROLE [ADDRESS]: compares what listens on this node with what its role may; exit 1 when more does.
set -euo pipefail

# Of the last run of node.sh; the last of several wins there, too.
public_port() {
  local port
  port=$(sed -n '/^--port$/{n;p}' /etc/catalog/node.options 2>/dev/null | tail -n 1) || true
  echo "${port:-80}"
}

# ADDRESS:PORT as ss prints it, a regular expression. A name resolver on loopback and sshd belong to the machine.
allowed() {
  local role=$1 address=${2:-127.0.0.1} loopback='(127\.0\.0\.1|\[::1\])'
  address=${address//./\\.}
  echo '127\.0\.0\.5[34](%lo)?:53|(0\.0\.0\.0|\[::\]|\*):22'
  case $role in
    db) echo "($loopback|$address):5432" ;;
    cache) echo "(127\.0\.0\.1|$address):6379" ;;
    app) echo "$address:(30|90)[3-9][0-9]" ;;
    lb) echo "(0\.0\.0\.0|\[::\]):($(public_port)|443)" ;;
    all)
      allowed db
      allowed cache
      allowed app
      allowed lb
      ;;
    *) return 1 ;;
  esac
}

main() {
  local patterns sockets more
  patterns=$(allowed "${1:-}" "${2:-}" | paste -s -d '|') ||
    { echo 'usage: listening.sh db|cache|app|lb|all [ADDRESS]' >&2 && exit 2; }
  # Told apart from "nothing listens", which would be a pass.
  sockets=$(ss -Hltn | awk '{ print $4 }' | sort -u)
  [[ -n $sockets ]] || { echo 'listening.sh: nothing listens here' >&2 && exit 1; }
  more=$(grep -Evx "$patterns" <<<"$sockets" || true)
  [[ -z $more ]] || { printf 'listens and should not: %s\n' "${more//$'\n'/ }" >&2 && exit 1; }
  printf 'as it should be: %s\n' "$(paste -s -d ' ' <<<"$sockets")"
}

main "$@"
