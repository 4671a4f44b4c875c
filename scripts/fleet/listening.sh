#!/usr/bin/env bash
# catalog-listening: compares the listening sockets of this node with those of its roles; exit 1 if there are others.
set -euo pipefail

# NODE_ROLES, NODE_ADDRESS, PUBLIC_PORT, WRITER_PORT
# shellcheck source=/dev/null
source "${CATALOG_NODE_FILE:-/etc/catalog/node.env}"

# As many as the last run set.
worker_ports() {
  local workers
  workers=$(sed -n 's/^CATALOG_WORKERS=//p' /etc/catalog/worker.env)
  { seq 3030 "$((3029 + workers))" && seq 9030 "$((9029 + workers))"; } | paste -s -d '|'
}

# Regular expressions of protocol and ADDRESS:PORT as ss prints them. A name resolver and chrony's control on loopback, a DHCP
# client and sshd belong to the operating system.
allowed() {
  local role loopback='(127\.0\.0\.1|\[::1\])' address
  # It may be a name, but ss prints addresses.
  address=$(getent ahostsv4 "$NODE_ADDRESS" | awk '{ gsub(/[.]/, "\\.", $1); print $1; exit }')
  echo '(tcp|udp) 127\.0\.0\.5[34](%lo)?:53|tcp (0\.0\.0\.0|\[::\]|\*):22'
  echo "tcp $address:9100" # the node exporter
  echo "udp ($loopback:323|.*:(68|546))"
  # ntpsec binds its port although it is only a client.
  if systemctl is-active --quiet ntpsec 2>/dev/null; then echo 'udp .*:123'; fi
  for role in $NODE_ROLES; do
    case $role in
      db) echo "tcp ($loopback|$address):5432|tcp $address:(8008|9187)" ;;
      etcd) echo "tcp (127\.0\.0\.1|$address):2379|tcp $address:2380" ;;
      cache) echo "tcp (127\.0\.0\.1|$address):6379|tcp $address:9121" ;;
      app) echo "tcp $address:($(worker_ports))" ;;
      writer) echo "tcp $address:703[01]" ;;
      lb) echo "tcp 0\.0\.0\.0:($PUBLIC_PORT|443${WRITER_PORT:+|$WRITER_PORT})|tcp $address:9113|tcp 127\.0\.0\.1:8081" ;;
      monitor) echo "tcp $address:(9090|9093|9094)|udp $address:9094|tcp 127\.0\.0\.1:9115" ;;
    esac
  done
}

main() {
  local patterns sockets datagrams more
  patterns=$(allowed | paste -s -d '|')
  sockets=$(ss -Hltn | awk '{ print "tcp " $4 }')
  # Checked alone: without any socket the comparison below would pass.
  [[ -n $sockets ]] || { echo 'catalog-listening: nothing listens here' >&2 && exit 1; }
  datagrams=$(ss -Hlun | awk '{ print "udp " $4 }')
  sockets=$(printf '%s\n' "$sockets" ${datagrams:+"$datagrams"} | sort -u)
  more=$(grep -Evx "$patterns" <<<"$sockets" || true)
  [[ -z $more ]] || { printf 'these sockets should not listen: %s\n' "$(paste -s -d , <<<"$more")" >&2 && exit 1; }
  printf 'only expected sockets listen: %s\n' "$(paste -s -d , <<<"$sockets")"
}

main
