#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: linux_peers.sh [-o DIR]
#
# Fetch what scripts/versus needs to run other tools in the model machine's Linux: likwid, the
# kernel module msr, and the headers for building modules for exactly that kernel.
#
# Debian's packages are unpacked; none is installed. The folders are cached under a hash of this
# script and the kernel's version. Run linux_root.sh first.
#
# options:
#   -h, --help     show this help message and exit
#   -o, --out DIR  where the folders guest and headers go (default build/peers)
#
# Exit status: 0; 2 wrong usage; 4 an error of this host.
set -euo pipefail

# likwid, and its libraries that perf does not need. linux_root.sh fetches perf's libraries.
likwid=(likwid lua5.3 liblua5.3-0 libhwloc15 libudev1 libreadline8 libtinfo6)

lock_s=600

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/barecount

# shellcheck source=/dev/null # it is checked separately
source "$here/apt_lib.sh"

make_guest() {
    local tree=$work/tree guest=$work/result/guest
    mkdir -p "$guest"/{lib,usr/bin,usr/sbin,usr/lib/x86_64-linux-gnu,usr/share/likwid}
    cp "$tree"/usr/bin/{likwid-perfctr,likwid-bench,lua5.3} "$guest/usr/bin/"
    cp "$tree/usr/sbin/likwid-accessD" "$guest/usr/sbin/" # this path must exist, even if unused
    cp -r "$tree/usr/share/lua" "$guest/usr/share/"
    cp -r "$tree/usr/share/likwid/perfgroups" "$guest/usr/share/likwid/"
    find "$tree" \( -name '*.so.*' -o -path '*/kernel/msr.ko' \) -exec cp -L {} "$guest/lib/" \;
    # lua finds likwid's library by this path only.
    cp -L "$guest/lib/liblikwid.so.5" "$guest/usr/lib/x86_64-linux-gnu/liblikwid.so"
}

# The Makefiles in the packages of headers include each other by absolute paths.
make_headers() {
    mkdir -p "$work/result/headers"
    cp -a "$work"/tree/usr/{src,lib} "$work/result/headers/"
    rm -rf "$work/result/headers/lib/x86_64-linux-gnu"
    ln -s "src/linux-headers-$release" "$work/result/headers/build"
    sed -i "s|/usr/src/|$target/headers/src/|" "$work/result/headers/build/Makefile"
}

fetch_and_make() {
    local deb
    echo "Fetching likwid and the headers of $release; 40 MB."
    mkdir "$work/debs" "$work/tree" "$work/result"
    fetch_lists deb
    (cd "$work/debs" && private_apt apt-get download "linux-headers-$release=$version" \
        "linux-headers-${release%-cloud-amd64}-common=$version" "linux-kbuild-6.1=$version" \
        "linux-image-$release=$version" "${likwid[@]}") >"$work/fetch.log" 2>&1 ||
        fail "packages cannot be fetched from Debian's archive:" "$(tail -n 5 "$work/fetch.log")"
    for deb in "$work"/debs/*.deb; do
        dpkg-deb -x "$deb" "$work/tree" || fail "${deb##*/} cannot be unpacked"
    done
    make_guest
    make_headers
    rm -rf "$target"
    mv -T "$work/result" "$target"
}

main() {
    local output packages kernel release version target
    take_out_alone "$here/../../build/peers" "$@"
    mkdir -p "$output" "$cache"
    exec 9>"$cache/peers-lock"
    flock -w "$lock_s" 9 ||
        fail "another run has held $cache/peers-lock for more than $lock_s s; end it, and retry"
    packages=$(cat "$(record_of linux-packages)") || fail "run linux_root.sh first"
    kernel=${packages%%$'\n'*} # package=version
    release=${kernel#linux-image-} release=${release%%=*} version=${kernel#*=}
    target=$cache/peers-$(cat "${BASH_SOURCE[0]}" - <<<"$kernel" | sha256sum | cut -c 1-12)
    if [[ ! -d $target ]]; then
        rm -rf "$cache"/peers-work.*
        work=$(mktemp -d "$cache/peers-work.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        fetch_and_make
    fi
    keep_two peers "$target/headers"
    ln -sfn "$target/guest" "$output/guest"
    ln -sfn "$target/headers" "$output/headers"
}

main "$@"
