#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: newest.sh [-o DIR]
#
# Build the model machine from the newest QEMU in Debian 13's archive and run its self-test.
#
# The test shows whether the patch and the model fit that QEMU. The cache and QEMU_SOURCES are those
# of build.sh.
#
# options:
#   -h, --help     show this help message and exit
#   -o, --out DIR  where qemu-system-x86_64 goes (default build/machine-newest)
#
# Exit status: 0; 1 a check failed; 2 wrong usage; 4 an error of this host.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
suite=trixie

# shellcheck source=/dev/null # it is checked separately
source "$here/apt_lib.sh"

main() {
    local output
    take_out_alone "$here/../../build/machine-newest" "$@"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    write_sources deb-src bookworm trixie
    other_suite deb-src "$suite" >"$work/newest.list"
    QEMU_SOURCES=$work/newest.list "$here/build.sh" -o "$output"
    "$output/qemu-system-x86_64" --version | head -n 1
    "$here/conform.sh" "$output/qemu-system-x86_64" || exit 1
}

main "$@"
