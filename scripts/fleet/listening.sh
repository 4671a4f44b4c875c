#!/usr/bin/env bash
# listening.sh ROLE [ADDRESS]: compares the listening sockets of this node with those of its role; exit 1 if there are others.
set -euo pipefail

# The port of the last run of node.sh, whose last value counts.
public_port() {
  local port
  port=$(sed -n '/^--port$/{n;p}' /etc/catalog/node.options 2>/dev/null | tail -n 1) || true
  echo "${port:-80}"
}

# As many as the last run of node.sh set, or the maximum before the first run.
worker_ports() {
  local workers
  workers=$(sed -n 's/^CATALOG_WORKERS=//p' /etc/catalog/worker.env 2>/dev/null) || true
  { seq 3030 "$((3029 + ${workers:-999}))" && seq 9030 "$((9029 + ${workers:-999}))"; } | paste -s -d '|'
}

# Regular expressions of protocol and ADDRESS:PORT as ss prints them. A name resolver and chrony's control on loopback, a DHCP
# client and sshd belong to the operating system.
allowed() {
  local role=$1 address=${2:-127.0.0.1} loopback='(127\.0\.0\.1|\[::1\])'
  address=${address//./\\.}
  echo '(tcp|udp) 127\.0\.0\.5[34](%lo)?:53|tcp (0\.0\.0\.0|\[::\]|\*):22'
  echo "tcp $address:9100" # the node exporter
  echo "udp ($loopback:323|.*:(68|546))"
  # ntpsec binds its port although it is only a client.
  if systemctl is-active --quiet ntpsec 2>/dev/null; then echo 'udp .*:123'; fi
  case $role in
    db) echo "tcp ($loopback|$address):5432|tcp $address:9187" ;;
    cache) echo "tcp (127\.0\.0\.1|$address):6379|tcp $address:9121" ;;
    app) echo "tcp $address:($(worker_ports))" ;;
    lb) echo "tcp (0\.0\.0\.0|\[::\]):($(public_port)|443)|tcp $address:9113|tcp 127\.0\.0\.1:8081" ;;
    monitor) echo "tcp $address:(9090|9093|9094)|udp $address:9094|tcp 127\.0\.0\.1:9115" ;;
    all)
      allowed db
      allowed cache
      allowed app
      allowed lb
      allowed monitor
      ;;
    *) return 1 ;;
  esac
}

main() {
  local patterns sockets datagrams more
  patterns=$(allowed "${1:-}" "${2:-}" | paste -s -d '|') ||
    { echo 'usage: listening.sh db|cache|app|lb|monitor|all [ADDRESS]' >&2 && exit 2; }
  sockets=$(ss -Hltn | awk '{ print "tcp " $4 }')
  # Checked alone: without any socket the comparison below would pass.
  [[ -n $sockets ]] || { echo 'listening.sh: nothing listens here' >&2 && exit 1; }
  datagrams=$(ss -Hlun | awk '{ print "udp " $4 }')
  sockets=$(printf '%s\n' "$sockets" ${datagrams:+"$datagrams"} | sort -u)
  more=$(grep -Evx "$patterns" <<<"$sockets" || true)
  [[ -z $more ]] || { printf 'these sockets should not listen: %s\n' "$(paste -s -d , <<<"$more")" >&2 && exit 1; }
  printf 'only expected sockets listen: %s\n' "$(paste -s -d , <<<"$sockets")"
}

main "$@"
