#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: linux_root.sh [-o DIR]
#
# Make Debian's Linux for the model machine: its cloud kernel, and a root file system that contains
# perf and stays in memory.
#
# Debian's packages are unpacked; none is installed. The result is cached under a hash of the
# packages' versions and of all other inputs. Delete ~/.cache/barecount to use the current packages.
#
# options:
#   -h, --help     show this help message and exit
#   -o, --out DIR  where vmlinuz and initrd go (default build/linux)
#
# Exit status: 0; 2 wrong usage; 4 an error of this host.
set -euo pipefail

kernel_meta=linux-image-cloud-amd64 # depends on the current kernel
programs=(linux-perf busybox-static)

lock_s=600 # fetching the packages and making both files takes less than a minute

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
inputs=("$here"/{linux_root.sh,linux_init.sh,linux_loop.asm})
cache=${XDG_CACHE_HOME:-$HOME/.cache}/barecount

# shellcheck source=/dev/null # it is checked separately
source "$here/apt_lib.sh"

check_tools() {
    local tool
    for tool in apt-get apt-cache dpkg-deb nasm ld objdump; do
        command -v "$tool" >/dev/null || fail "$tool is missing; run: scripts/setup program"
    done
}

# Sets `packages` to lines package=version: first for the kernel, then for the programs and all
# their dependencies.
find_packages() {
    local kernel version
    fetch_lists deb
    kernel=$(private_apt apt-cache depends "$kernel_meta" | awk '$1 == "Depends:" { print $2 }')
    [[ -n $kernel ]] || fail "the archive does not contain $kernel_meta"
    version=$(private_apt apt-cache --no-all-versions show "$kernel" |
        awk '$1 == "Version:" { print $2 }')
    packages=$kernel=$version
    packages+=$(private_apt apt-get --simulate --no-install-recommends install "${programs[@]}" |
        awk '$1 == "Inst" { print "\n" $2 "=" substr($3, 2) }' ORS=) ||
        fail "the archive lacks packages that ${programs[*]} need; see above"
}

target_of() {
    local hash
    hash=$({ echo "$1" && cat "${inputs[@]}"; } | sha256sum | cut -c 1-12)
    echo "$cache/linux-$hash"
}

library() {
    local path
    for path in "$work"/tree/{lib,usr/lib}/x86_64-linux-gnu/"$1"; do
        [[ -e $path ]] && echo "$path" && return
    done
    fail "no package contains the library $1, which perf needs"
}

# Copies the shared libraries that a program needs, directly or indirectly.
copy_libraries() {
    local waiting=("$1") path name
    local -A seen=()
    while [[ ${#waiting[@]} -gt 0 ]]; do
        path=${waiting[0]}
        waiting=("${waiting[@]:1}")
        for name in $(objdump -p "$path" | awk '$1 == "NEEDED" { print $2 }'); do
            [[ -z ${seen[$name]:-} ]] || continue
            seen[$name]=yes
            path=$(library "$name")
            cp -L "$path" "$work/root/lib/"
            waiting+=("$path")
        done
    done
}

make_root() {
    local tree=$work/tree root=$work/root
    mkdir -p "$root"/{bin,dev,lib,lib64,proc,sys,tmp}
    cp "$busybox" "$tree/usr/bin/perf" "$root/bin/"
    copy_libraries "$root/bin/perf"
    cp -L "$(library ld-linux-x86-64.so.2)" "$root/lib64/"
    nasm -f elf64 -Werror -o "$work/loop.o" "$here/linux_loop.asm"
    nasm -f elf64 -Werror -D CALLS -o "$work/calls.o" "$here/linux_loop.asm"
    ld -o "$root/bin/linux_loop" "$work/loop.o"
    ld -o "$root/bin/linux_calls" "$work/calls.o"
    install -m 755 "$here/linux_init.sh" "$root/init"
}

fetch_and_make() {
    local started=$SECONDS busybox
    echo "Fetching Debian's Linux and perf for the model machine; about half a minute."
    mkdir "$work/debs" "$work/tree" "$work/result"
    # shellcheck disable=SC2086 # one word for each package
    (cd "$work/debs" && private_apt apt-get download $packages) >"$work/fetch.log" 2>&1 ||
        fail "packages cannot be fetched from Debian's archive:" "$(tail -n 5 "$work/fetch.log")"
    local deb
    for deb in "$work"/debs/*.deb; do
        dpkg-deb -x "$deb" "$work/tree" || fail "${deb##*/} cannot be unpacked"
    done
    busybox=$(find "$work/tree" -path "*/bin/busybox") # its folder depends on the release
    [[ -n $busybox ]] || fail "the package busybox-static has no bin/busybox"
    make_root
    cp "$work"/tree/boot/vmlinuz-* "$work/result/vmlinuz"
    # An uncompressed initrd loads faster than the machine could unpack a compressed one.
    find "$work/root" -exec touch -h -d @0 {} +
    (cd "$work/root" && find . | LC_ALL=C sort |
        "$busybox" cpio -o -H newc -R 0:0) \
        >"$work/result/initrd" 2>"$work/cpio.log" || fail "cpio: $(tail -n 3 "$work/cpio.log")"
    rm -rf "$target"
    mv -T "$work/result" "$target"
    echo "Made in $((SECONDS - started)) s."
}

main() {
    local output packages target record
    take_out_alone "$here/../../build/linux" "$@"
    mkdir -p "$output" "$cache"
    exec 9>"$cache/linux-lock"
    flock -w "$lock_s" 9 ||
        fail "another run has held $cache/linux-lock for more than $lock_s s; end it, and retry"
    # While the last result is cached, no network is needed.
    record=$(record_of linux-packages)
    packages=$(cat "$record" 2>/dev/null || true)
    target=$(target_of "$packages")
    if [[ ! -d $target ]]; then
        check_tools
        rm -rf "$cache"/linux-work.*
        work=$(mktemp -d "$cache/linux-work.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        find_packages
        target=$(target_of "$packages")
        [[ -d $target ]] || fetch_and_make
        echo "$packages" >"$record"
    fi
    keep_two linux "$target/vmlinuz"
    ln -sfn "$target/vmlinuz" "$output/vmlinuz"
    ln -sfn "$target/initrd" "$output/initrd"
}

main "$@"
