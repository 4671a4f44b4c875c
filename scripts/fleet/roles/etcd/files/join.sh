#!/bin/bash
# join.sh NAME PEER_URL CLIENT_URL OTHERS: makes this machine a member of the etcd that answers at the client URLs OTHERS. It begins as a learner,
# which has no vote, so the others keep their quorum if it does not start. etcd allows one learner at a time. A second run resumes one that was cut.
set -euo pipefail
name=$1 peer=$2 client=$3 others=$4
data=${ETCD_DATA:-/var/lib/etcd/catalog} settings=${ETCD_JOIN:-/etc/default/etcd-join}
said=$(mktemp)
trap 'rm -f "$said"' EXIT

own() { etcdctl --endpoints="$others" member list | awk -F ', ' -v peer="$peer" -v field="$1" '$4 == peer { print $field }'; }

# awaited COMMAND…: etcd refuses changes until all members have been connected for five seconds, and a vote until the learner has all keys.
awaited() {
  for _ in {1..60}; do
    if "$@" >"$said" 2>&1; then return; fi
    sleep 1
  done
  printf 'join.sh: %s\n' "$(tail -n 1 "$said")" >&2
  echo "join.sh: $name is not a member with a vote; the others keep theirs. Start every member that exists, wait for etcdctl endpoint health, and run this again" >&2
  exit 1
}

if [[ ! -d $data/member ]]; then
  id=$(own 1)
  # Its data was lost, or a run was cut before it started: the others would refuse its empty copy under this id.
  if [[ -n $id ]]; then etcdctl --endpoints="$others" member remove "$id"; fi
  awaited etcdctl --endpoints="$others" member add "$name" --learner --peer-urls="$peer"
  grep -E '^ETCD_INITIAL_CLUSTER(_STATE)?=' "$said" >"$settings"
fi
systemctl daemon-reload
systemctl restart etcd
if [[ $(own 6) == true ]]; then awaited etcdctl --endpoints="$others" member promote "$(own 1)"; fi
awaited etcdctl --endpoints="$client" endpoint health
