#!/usr/bin/env bash
# boot.sh ROOT ADDRESS SWITCH: boots a root with systemd as its init, in its own namespaces: processes, mounts, host name, and a
# network with loopback and an interface on the bridge br0 of the network namespace SWITCH.
# It ends with all its processes when it is killed or the machine is shut down.
set -euo pipefail
name=catalog-machine-$$

# systemd makes cgroups below the one that it is started in.
join_groups() {
  local hierarchy
  for hierarchy in $(cgroup_hierarchies); do
    mkdir -p "$hierarchy/$name"
    echo $$ >"$hierarchy/$name/cgroup.procs"
  done
}
leave_groups() {
  local hierarchy
  for hierarchy in $(cgroup_hierarchies); do
    echo $$ >"$hierarchy/cgroup.procs"
    find "$hierarchy/$name" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
}
cgroup_hierarchies() {
  if [[ $(stat -fc %T /sys/fs/cgroup) == cgroup2fs ]]; then
    echo /sys/fs/cgroup
  else
    printf '/sys/fs/cgroup/%s\n' systemd unified memory pids cpu cpuacct
  fi
}

mount_groups() {
  local controller
  if [[ $(stat -fc %T /sys/fs/cgroup) == cgroup2fs ]]; then
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    return
  fi
  mount -t tmpfs tmpfs sys/fs/cgroup
  mkdir sys/fs/cgroup/{systemd,unified,memory,pids,cpu,cpuacct}
  for controller in memory pids cpu cpuacct; do mount -t cgroup -o "$controller" cgroup "sys/fs/cgroup/$controller"; done
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
  mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
}

plug_in() {
  local port=${1//./-} hardware
  # shellcheck disable=SC2086 # four words
  # The one that replaces a machine has its hardware address: neighbours would send to another for up to 20 s, as it announces none.
  hardware=$(printf '02:00:%02x:%02x:%02x:%02x' ${1//./ })
  # This is process 1, by which the other side names this network.
  nsenter --net="/run/netns/$2" ip link add "p$port" type veth peer name eth0 address "$hardware" netns 1
  nsenter --net="/run/netns/$2" ip link set "p$port" master br0 up
  ip addr add "$1/24" dev eth0
  ip link set eth0 up
}

inside() {
  set -e
  local root=$1 device
  mount --make-rprivate /
  ip link set lo up
  plug_in "$2" "$3"
  mount --bind "$root" "$root"
  cd "$root"
  mount -t proc proc proc
  mount -t sysfs -o ro sysfs sys
  # Only the network can be tuned here; the rest of the kernel is the host's.
  mount --bind proc/sys/net run
  mount --bind proc/sys proc/sys
  mount -o remount,ro,bind proc/sys
  mount --move run proc/sys/net
  mount_groups
  mount -t tmpfs -o mode=755 tmpfs run
  mount -t tmpfs -o mode=1777 tmpfs tmp
  mount -t tmpfs -o mode=755 tmpfs dev
  for device in null zero full random urandom tty; do
    touch "dev/$device"
    mount --bind "/dev/$device" "dev/$device"
  done
  mkdir dev/pts dev/shm
  mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  mount -t tmpfs -o mode=1777 tmpfs dev/shm
  mkdir -p .host
  pivot_root . .host
  umount -l /.host
  exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=journal --show-status=0 \
    SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 # Debian 13 on a host with the first version of cgroups
}

export -f inside mount_groups plug_in
join_groups
trap leave_groups EXIT
unshare --pid --fork --kill-child --mount --uts --ipc --cgroup --net bash -c 'inside "$@"' boot "$@" &
trap 'kill -KILL "$(pgrep -P $!)" 2>/dev/null || true; wait $! || true; exit 0' TERM INT
wait $!
