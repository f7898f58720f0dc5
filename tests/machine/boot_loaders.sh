#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: boot_loaders.sh [-o DIR]
#
# Fetch Debian's boot loaders that start other UEFI programs: GRUB, systemd-boot, rEFInd.
#
# The packages are unpacked but not installed, because the installation of rEFInd would put it on
# this machine's ESP. The files are cached in ~/.cache/barecount; delete that folder to fetch the
# current packages.
#
# options:
#   -h, --help     show this help message and exit
#   -o, --out DIR  where grubx64.efi, systemd-bootx64.efi and refind_x64.efi go (default
#                  build/loaders)
#
# Exit status: 0; 2 wrong usage; 4 an error of this host.
set -euo pipefail

packages=(grub-efi-amd64-bin systemd-boot-efi refind)
# GRUB in one file, as Debian signs it for Secure Boot; it reads its configuration from /EFI/debian.
files=(
    usr/lib/grub/x86_64-efi/monolithic/grubx64.efi
    usr/lib/systemd/boot/efi/systemd-bootx64.efi
    usr/share/refind/refind/refind_x64.efi
)

lock_s=300 # fetching and unpacking the packages takes seconds

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/barecount

# shellcheck source=/dev/null # it is checked separately
source "$here/apt_lib.sh"

fetch() {
    local deb file
    work=$(mktemp -d "$cache/loaders-work.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    fetch_lists deb
    mkdir "$work/debs" "$work/tree" "$work/result"
    (cd "$work/debs" && private_apt apt-get download "${packages[@]}") >"$work/fetch.log" 2>&1 ||
        fail "packages cannot be fetched from Debian's archive:" "$(tail -n 5 "$work/fetch.log")"
    for deb in "$work"/debs/*.deb; do
        dpkg-deb -x "$deb" "$work/tree" || fail "${deb##*/} cannot be unpacked"
    done
    for file in "${files[@]}"; do
        cp "$work/tree/$file" "$work/result/" || fail "no package contains $file; see above"
    done
    mv -T "$work/result" "$target"
}

main() {
    local output target file
    take_out_alone "$here/../../build/loaders" "$@"
    mkdir -p "$output" "$cache"
    exec 9>"$cache/loaders-lock"
    flock -w "$lock_s" 9 ||
        fail "another run has held $cache/loaders-lock for more than $lock_s s; end it, and retry"
    target=$cache/loaders-$(printf '%s\n' "${packages[@]}" "${files[@]}" | sha256sum |
        cut -c 1-12)
    [[ -d $target ]] || fetch
    keep_two loaders "$target/refind_x64.efi"
    for file in "${files[@]}"; do
        ln -sfn "$target/${file##*/}" "$output/${file##*/}"
    done
}

main "$@"
