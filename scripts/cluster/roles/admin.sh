#!/usr/bin/env bash
# The administrator's machine: a key of its own, and one that all nodes show, so that it knows them.
set -euo pipefail
# shellcheck source=ssh.sh
source "$(dirname "$0")/ssh.sh"

mkdir -p /etc/ssh
for name in admin nodes; do ssh-keygen -q -t ed25519 -N '' -C "$name" -f "/etc/ssh/$name"; done
echo "* $(cat /etc/ssh/nodes.pub)" >/etc/ssh/ssh_known_hosts
printf 'IdentityFile /etc/ssh/admin\n' >/etc/ssh/ssh_config
