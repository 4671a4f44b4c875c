#!/usr/bin/env bash
# sshd of a node, for the administrator's key alone.
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
