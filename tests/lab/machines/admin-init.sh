#!/usr/bin/env bash
# First process of a node, in namespaces of its own: gives it a root that is this machine's, with every change kept in
# the node's own folder, and stays. When it dies, the kernel ends all processes of the node, as a power cut would.
set -euo pipefail

dir=$1
name=$2
repository=$3

mkdir -p "$dir/upper" "$dir/work" "$dir/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$dir/upper,workdir=$dir/work" "$dir/root"
cd "$dir/root"
mount --rbind /dev dev
mount -t proc proc proc
hostname "$name"
ip link set lo up
# The accounts of the services must reach the programs; a clone under /root is closed to them. Only here is it not.
path=.
while read -r -d / part; do
  path=$path/$part
  [[ -z $part ]] || chmod o+x "$path"
done <<<"${repository#/}/"
touch "$dir/ready"
# bash reaps what the services leave behind.
exec chroot . /bin/bash -c 'trap exit TERM; while :; do sleep 3600 & wait "$!"; done'
