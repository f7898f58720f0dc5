#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Does the model fit a newer QEMU? Build the newest that Debian 13's archive holds, and run the
# self-test on it: newest.sh [OUTPUT_DIR] (default build/machine-newest). See build.sh; its cache
# and its options are the same.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
suite=trixie

# shellcheck source=/dev/null # it is looked at by itself
source "$here/apt_lib.sh"

fail() {
    printf 'newest.sh: %s\n' "$@" >&2
    exit 1
}

main() {
    local output=${1:-$here/../../build/machine-newest}
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    write_sources deb-src bookworm trixie
    other_suite deb-src "$suite" >"$work/newest.list"
    QEMU_SOURCES=$work/newest.list "$here/build.sh" "$output"
    "$output/qemu-system-x86_64" --version | head -n 1
    "$here/conform.sh" "$output/qemu-system-x86_64"
}

main "$@"
