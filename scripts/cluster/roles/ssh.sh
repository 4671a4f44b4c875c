# shellcheck shell=bash
# ssh and sshd of the machine, or out of the packages that were brought; sourced.

if [[ -n $SSH_PACKAGES && ! -x /usr/sbin/sshd ]]; then
  for package in "$SSH_PACKAGES"/*.deb; do
    # /lib is a link here and a folder there.
    dpkg-deb --fsys-tarfile "$package" | tar -x -C / --keep-directory-symlink
  done
fi
