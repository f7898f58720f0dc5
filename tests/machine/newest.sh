#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: newest.sh [-o DIR]
#
# Build the model machine from the newest QEMU in Debian 13's archive, and run the conformance suite
# on it. Fetch Debian 13's Linux, and the firmware of Debian 13 and of Debian unstable.
#
# The suite shows whether the patch and the model fit that QEMU. The cache is the same as for
# build.sh. As for build.sh, QEMU_SOURCES=FILE names a file with apt's deb-src lines.
#
# options:
#   -h, --help     show this help message and exit
#   -o, --out DIR  where qemu-system-x86_64, firmware/ and linux/ go (default build/machine-newest)
#
# Exit status: 0; 1 a check failed; 2 wrong usage; 4 an error of this host.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
suite=trixie

# shellcheck source=/dev/null # it is checked separately
source "$here/apt_lib.sh"

fetch_firmware() {
    local to=$output/firmware/$1 deb
    other_suite deb "$1" >"$work/$1.list"
    QEMU_SOURCES=$work/$1.list fetch_lists deb
    mkdir "$work/$1"
    (cd "$work/$1" && private_apt apt-get download "${@:2}") ||
        fail "${*:2} cannot be fetched from Debian's archive; see above"
    rm -rf "$to"
    mkdir -p "$to"
    for deb in "$work/$1"/*.deb; do
        dpkg-deb -x "$deb" "$to" || fail "${deb##*/} cannot be unpacked"
    done
}

main() {
    local output
    take_out_alone "$here/../../build/machine-newest" "$@"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    write_sources deb-src bookworm trixie
    other_suite deb-src "$suite" >"$work/newest.list"
    QEMU_SOURCES=$work/newest.list "$here/build.sh" -o "$output"
    QEMU_SOURCES=$work/newest.list "$here/linux_root.sh" -o "$output/linux"
    fetch_firmware "$suite" ovmf u-boot-qemu
    fetch_firmware unstable ovmf-generic
    "$output/qemu-system-x86_64" --version | head -n 1
    "$here/conform.sh" "$output/qemu-system-x86_64" || exit 1
}

main "$@"
