#!/usr/bin/env bash
# What every node has: sshd, for the administrator's key alone, the folders of releases, and the Node that runs them.
set -euo pipefail
# shellcheck source=base.sh
source "$(dirname "$0")/base.sh"
# shellcheck source=ssh.sh
source "$(dirname "$0")/ssh.sh"

account sshd 64004
mkdir -p /run/sshd /etc/ssh
(umask 077 && echo "$SSH_HOST_KEY" >/etc/ssh/node)
echo "$SSH_ADMIN_KEY" >/etc/ssh/authorized_keys
cat >/etc/ssh/sshd_config <<TEXT
ListenAddress $NODE_ADDRESS
HostKey /etc/ssh/node
AuthorizedKeysFile /etc/ssh/authorized_keys
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PidFile none
TEXT
# Without PAM sshd refuses an account whose password is locked, even by key.
sed -i 's/^root:!/root:*/' /etc/shadow
/usr/sbin/sshd

home=/opt/catalog
mkdir -p "$home/node/bin" "$home/releases" "$home/modules/$LOCK_DIGEST"
ln -sfn "$NODE_BIN" "$home/node/bin/node"
# On a real node `npm ci` fills this; the nodes of a cluster share the clone's.
ln -sfn "$REPOSITORY/node_modules" "$home/modules/$LOCK_DIGEST/node_modules"
