#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Does the model fit a newer QEMU? Build the newest that Debian 13's archive holds, and run the
# self-test on it. The cache, and QEMU_SOURCES, are those of build.sh.
#   newest.sh [-o DIR]
#     -o, --out   where qemu-system-x86_64 goes (build/machine-newest)
# Exit status: 0; 1 a check failed; 2 wrong usage; 4 an error of this host.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
suite=trixie

# shellcheck source=/dev/null # it is looked at by itself
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
