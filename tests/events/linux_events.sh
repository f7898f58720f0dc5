#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: linux_events.sh
#
# Print the path of a copy of the folder tools/perf/pmu-events/arch/x86 of Debian's Linux sources.
#
# The package of the sources (139 MB) is fetched once. Only the folder is kept, below barecount/ in
# $XDG_CACHE_HOME or ~/.cache. Later calls use this copy until you delete it.
#
# options:
#   -h, --help  show this help message and exit
#
# Exit status: 0; 2 wrong usage; 4 the package cannot be fetched, or another process fetches it for
# over 600 s.
set -euo pipefail

package=linux-source-6.1
inside=linux-source-6.1/tools/perf/pmu-events/arch/x86
lock_s=600

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/barecount
target=$cache/$package-pmu-events

# shellcheck source=/dev/null # it is checked separately
source "$here/../machine/apt_lib.sh"

fetch() {
    fetch_lists deb
    (cd "$work" && private_apt apt-get download "$package") || fail "$package cannot be fetched"
    dpkg-deb --fsys-tarfile "$work/$package"_*.deb | tar -xO "./usr/src/$package.tar.xz" |
        tar -xJ -C "$work" "$inside"
    mv "$work/$inside" "$target"
}

main() {
    take_none "$@"
    mkdir -p "$cache"
    exec 9>"$cache/$package-lock"
    flock -w "$lock_s" 9 || fail "another process has been fetching $package for over $lock_s s"
    if [[ ! -e $target/mapfile.csv ]]; then
        work=$(mktemp -d "$cache/work.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        fetch >&2
    fi
    echo "$target"
}

main "$@"
