#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: build.sh [-o DIR]
#        build.sh --tree DIR
#        build.sh --packages
#
# Build the model machine (README.md) from Debian's QEMU source, this project's patch and its PMU
# model.
#
# With QEMU_SOURCES=FILE, apt's deb-src lines come from FILE instead of from this machine. The
# result is cached under a hash of all inputs of the build. Delete ~/.cache/barecount to build again
# from Debian's current sources. The two builds that were used last stay in the cache.
#
# options:
#   -h, --help     show this help message and exit
#   -o, --out DIR  where qemu-system-x86_64 and QEMU's own plugin that counts instructions go
#                  (default build/machine)
#   --tree DIR     leave the patched source in DIR/qemu-* and the whole build in DIR/build; if
#                  they exist already, bring them up to date
#   --packages     print the Debian packages that the build needs
#
# Exit status: 0; 2 wrong usage; 4 an error of this host.
set -euo pipefail

packages=(build-essential dpkg-dev ninja-build meson pkg-config python3
    libglib2.0-dev libpixman-1-dev libpng-dev libfdt-dev libslirp-dev zlib1g-dev)
packages_10=(python3-venv python3-distlib) # also needed for QEMU 10
meson_10=1.5.0                             # the oldest version that QEMU 10 accepts

lock_s=3600 # a build takes 3 to 6 minutes, half an hour on a busy machine

# Only the features and devices that the tests use: a complete QEMU takes a third longer to build.
# Debian's source of QEMU contains no copy of libfdt.
options=(--target-list=x86_64-softmmu --without-default-features --without-default-devices
    --with-devices-x86_64=barecount --enable-tcg --enable-system --enable-plugins
    --enable-fdt=system --enable-png --enable-slirp --disable-install-blobs --disable-debug-info)
devices=(AHCI E1000E_PCI_EXPRESS E1000_PCI HPET I440FX I82801B11 ISA_DEBUG NVME_PCI Q35 SDHCI_PCI
    USB_STORAGE_BOT USB_STORAGE_CLASSIC USB_XHCI_PCI VGA_PCI VIRTIO_BLK VIRTIO_NET VIRTIO_PCI
    VIRTIO_RNG)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
model=("$here"/model/pmu_model*)
plugin=libinsn.so
cache=${XDG_CACHE_HOME:-$HOME/.cache}/barecount

# shellcheck source=/dev/null # it is checked separately
source "$here/apt_lib.sh"

# Debian 12 contains QEMU 7.2, and Debian 13 contains QEMU 10.
print_packages() {
    local codename
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    [[ $codename == bookworm ]] || packages+=("${packages_10[@]}")
    echo "${packages[*]}"
}

check_tools() {
    local tool
    for tool in apt-get apt-cache dpkg-source gcc ninja /usr/bin/meson /usr/bin/python3 patch \
        pkg-config; do
        command -v "$tool" >/dev/null ||
            fail "$tool is missing; install: apt-get install ${packages[*]}"
    done
    pkg-config --exists glib-2.0 pixman-1 libpng slirp zlib ||
        fail "a library is missing; install: apt-get install ${packages[*]}"
    # libfdt has no .pc file.
    gcc -E -include libfdt.h -x c /dev/null >/dev/null 2>&1 ||
        fail "libfdt is missing; install: apt-get install ${packages[*]}"
}

fit_of() {
    case ${1#*:} in
        7.2*) echo 7.2 ;;
        10.*) echo 10 ;;
    esac
}

choose() {
    version=$1
    fit=$(fit_of "$version")
    case $fit in
        7.2) fit_options=(--meson=/usr/bin/meson) plugins=tests/plugin ;;
        10) fit_options=(--python=/usr/bin/python3) plugins=tests/tcg/plugins ;;
        *) return 1 ;;
    esac
    target=$(target_of)
}

target_of() {
    local hash
    hash=$({ echo "$version" "${options[@]}" "${devices[@]}" "${fit_options[@]}" &&
        cat "$here/model/qemu-pmu-$fit.patch" "${model[@]}"; } | sha256sum | cut -c 1-12)
    echo "$cache/qemu-${version//[^0-9A-Za-z.+~-]/_}-$hash/qemu-system-x86_64"
}

is_ready() {
    if [[ $tree ]]; then
        [[ $(cat "$tree/key" 2>/dev/null) == "$(key_of_tree)" ]]
    else
        [[ -x $target && -f ${target%/*}/$plugin ]]
    fi
}

key_of_tree() {
    echo "$version" "${options[@]}" "${devices[@]}" "${fit_options[@]}" \
        "$(sha256sum <"$here/model/qemu-pmu-$fit.patch")"
}

# Fetches and builds the newest version that has a patch. An archive may list sources that can no
# longer be fetched, so older versions are tried too.
provide_newest() {
    local listed one
    fetch_lists deb-src bookworm trixie
    listed=$(private_apt apt-cache showsrc --only-source qemu |
        awk '/^Version:/ { print $2 }' | sort -Vru)
    for one in $listed; do
        if choose "$one" && { is_ready || fetch; }; then
            is_ready || build_fetched
            return
        fi
    done
    if [[ -e $work/source.log ]]; then
        fail "apt-get source failed:" "$(tail -n 5 "$work/source.log")"
    fi
    fail "the patches fit QEMU 7.2 and 10; the archive's qemu is: ${listed:-none}"
}

fetch() {
    echo "Fetching the source of QEMU $version."
    (cd "$work" && private_apt apt-get source "qemu=$version") >>"$work/source.log" 2>&1
}

# QEMU 10 needs a newer Meson than Debian 12 has. QEMU's configure finds the unpacked Meson as a
# Python module.
bring_meson() {
    dpkg --compare-versions "$(/usr/bin/meson --version)" lt "$meson_10" || return 0
    other_suite deb bookworm-backports >"$work/meson.list"
    mv "$work/meson.list" "$work/sources.list"
    (
        cd "$work"
        private_apt apt-get -o APT::Update::Error-Mode=any update &&
            private_apt apt-get download -t bookworm-backports meson &&
            dpkg-deb -x meson_*.deb "$work/meson"
    ) >"$work/meson.log" 2>&1 ||
        fail "QEMU 10 needs Meson $meson_10, which Debian's backports did not deliver:" \
            "$(tail -n 5 "$work/meson.log")"
    export PYTHONPATH=$work/meson/usr/lib/python3/dist-packages
}

build() {
    local source=("$work"/qemu-*/)
    if [[ $fit == 10 ]]; then
        packages+=("${packages_10[@]}")
        bring_meson
    fi
    cp "${model[@]}" "${source[0]}target/i386/tcg/"
    printf 'CONFIG_%s=y\n' "${devices[@]}" \
        >"${source[0]}configs/devices/x86_64-softmmu/barecount.mak"
    patch --quiet -d "${source[0]}" -p1 <"$here/model/qemu-pmu-$fit.patch" ||
        fail "the patch does not fit $version; see the lines above"
    mkdir "$work/build"
    cd "$work/build"
    # QEMU's scripts must find Debian's Python, not the Python of pyenv or any other.
    PATH=/usr/bin:$PATH
    "${source[0]}configure" "${options[@]}" "${fit_options[@]}" >configure.log 2>&1 ||
        fail "configure failed:" "$(tail -n 20 configure.log)" "needed: ${packages[*]}"
    ninja qemu-system-x86_64 "$plugins/$plugin" >ninja.log 2>&1 ||
        fail "the build failed:" "$(grep -A 12 -m 1 FAILED ninja.log || tail -n 20 ninja.log)"
}

build_fetched() {
    local started=$SECONDS
    echo "Building QEMU $version with the PMU model; 3 to 6 minutes on 2 cores."
    (build)
    [[ $tree ]] || keep_result
    echo "Built in $((SECONDS - started)) s."
}

keep_result() {
    local folder=${target%/*}
    strip "$work/build/qemu-system-x86_64"
    mkdir "$work/result"
    mv "$work/build/qemu-system-x86_64" "$work/build/$plugins/$plugin" "$work/result/"
    rm -rf "$folder"
    mv -T "$work/result" "$folder"
}

refresh_tree() {
    local file source=("$tree"/qemu-*/)
    for file in "${model[@]}"; do
        cmp -s "$file" "${source[0]}target/i386/tcg/${file##*/}" ||
            cp "$file" "${source[0]}target/i386/tcg/"
    done
    PATH=/usr/bin:$PATH ninja -C "$tree/build" qemu-system-x86_64 >"$tree/ninja.log" 2>&1 ||
        fail "the build failed:" "$(grep -A 12 -m 1 FAILED "$tree/ninja.log")"
}

make_work_folder() {
    if [[ $tree ]]; then
        rm -rf "${tree:?}"/*
        echo unfinished >"$tree/key"
        work=$(cd "$tree" && pwd)
    else
        rm -rf "$cache"/work.*
        work=$(mktemp -d "$cache/work.XXXXXX")
        trap 'rm -rf "$work"' EXIT
    fi
}

main() {
    local taken output=$here/../../build/machine tree='' record version target fit fit_options
    local plugins
    take_options o: out:,tree:,packages "$@"
    set -- "${taken[@]}"
    while [[ $1 != -- ]]; do
        case $1 in
        -o | --out) output=$2 && shift ;;
        --tree) tree=$2 && shift ;;
        --packages) print_packages && return ;;
        esac
        shift
    done
    (($# == 1)) || usage "unexpected '$2'"
    if [[ $tree ]]; then
        output=$tree
        [[ -f $tree/key || -z $(ls -A "$tree" 2>/dev/null) ]] || fail "$tree contains other files"
    fi
    mkdir -p "$output" "$cache"
    # A build that has waited here for another build may find the result in the cache.
    exec 9>"$cache/lock"
    flock -w "$lock_s" 9 ||
        fail "another build has held $cache/lock for more than $lock_s s; end it, and retry"
    # The recorded version needs no network if the cache still contains its build.
    record=$(record_of qemu-version)
    if ! { choose "$(cat "$record" 2>/dev/null)" && is_ready; }; then
        check_tools
        make_work_folder
        provide_newest
        echo "$version" >"$record"
    fi
    if [[ $tree ]]; then
        key_of_tree >"$tree/key"
        refresh_tree
        return
    fi
    keep_two qemu "$target"
    ln -sfn "$target" "$output/qemu-system-x86_64"
    ln -sfn "${target%/*}/$plugin" "$output/$plugin"
}

main "$@"
