#!/usr/bin/env bash
# enter.sh ROOT CACHE WORDS…: runs a command inside a root, as in the build of an image: no init, the host's network.
set -euo pipefail

inside() {
  set -e
  local root=$1 cache=$2 device
  shift 2
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  # The kernel is the host's, so nothing here may tune it.
  mount --bind "$root/proc/sys" "$root/proc/sys"
  mount -o remount,ro,bind "$root/proc/sys"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  ln -s /proc/self/fd "$root/dev/fd"
  mkdir "$root/dev/shm"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  # Five roots share their downloads.
  mkdir -p "$cache/apt/partial" "$cache/home"
  mount --bind "$cache/apt" "$root/var/cache/apt/archives"
  mount --bind "$cache/home" "$root/root"
  exec chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

export -f inside
exec unshare --mount --pid --fork --kill-child bash -c 'inside "$@"' enter "$@"
