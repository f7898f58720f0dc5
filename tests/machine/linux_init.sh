#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-or-later
# The first process of the model machine's Linux: runs commands from the serial line, and prints
# each command's number and status.
/bin/busybox --install -s /bin
mount -t devtmpfs none /dev
mount -t proc none /proc
mount -t sysfs none /sys
# Keeps the echo and the kernel's messages out of the output of commands.
# `dmesg -n 1` would let emergency messages pass, for example the report of a lockup on a busy host.
stty -echo
echo 0 >/proc/sys/kernel/printk
number=0
echo "linux is ready"
while read -r line; do
    eval "$line" </dev/null
    status=$?
    number=$((number + 1))
    echo "linux did $number status $status"
done
