#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: sd_rom.sh [-o DIR]
#
# Build the firmware drivers for SD cards, as an option ROM.
#
# Debian's OVMF contains no drivers for SD cards, but EDK II does, and OVMF loads drivers from the
# ROM of a PCI device. The drivers are built from Debian's source package of edk2, which takes about
# a minute. The drivers are cached under the hash of this file; delete ~/.cache/barecount to use the
# current package.
#
# options:
#   -h, --help     show this help message and exit
#   -o, --out DIR  where sd.rom goes, for QEMU's sdhci-pci (default build/sd)
#
# Exit status: 0; 2 wrong usage; 4 an error of this host.
set -euo pipefail

sdhci_pci=(-f 0x1b36 -i 0x0007) # vendor and device: QEMU's docs/specs/pci-ids.rst

lock_s=900 # a build takes a minute or two on a busy machine

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/barecount

# shellcheck source=/dev/null # it is checked separately
source "$here/apt_lib.sh"

check_tools() {
    local tool
    for tool in apt-get dpkg-source gcc make nasm /usr/bin/python3; do
        command -v "$tool" >/dev/null || fail "$tool is missing; run: scripts/setup program machine"
    done
}

# run LOG COMMAND...: runs a command; if it fails, prints the last lines of its output, and exits.
run() {
    local log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || fail "$1 failed:" "$(tail -n 10 "$log")"
}

# The driver asks a card for its voltages, clears the answer, and repeats the request until the card
# is ready. A repeated request then names no voltages, and QEMU's card treats it as a first request.
keep_the_answer() {
    local source=MdeModulePkg/Bus/Pci/SdMmcPciHcDxe/SdDevice.c
    grep -q '^  Ocr   = 0;' $source || fail "$source is not as it was in edk2 2022.11"
    sed -i '/^  Ocr   = 0;/d' $source
}

build_drivers() {
    local module
    export WORKSPACE=$PWD PACKAGES_PATH=$PWD EDK_TOOLS_PATH=$PWD/BaseTools CONF_PATH=$PWD/Conf
    export PATH=$PWD/BaseTools/BinWrappers/PosixLike:/usr/bin:$PATH PYTHON_COMMAND=/usr/bin/python3
    run tools make -C BaseTools/Source/C Common GenFw EfiRom
    for module in build_rule tools_def target; do
        cp "BaseTools/Conf/$module.template" "Conf/$module.txt"
    done
    for module in Pci/SdMmcPciHcDxe/SdMmcPciHcDxe Sd/SdDxe/SdDxe; do
        run driver build -a X64 -t GCC5 -b RELEASE -p MdeModulePkg/MdeModulePkg.dsc \
            -m "MdeModulePkg/Bus/$module.inf"
    done
}

fetch_and_make() {
    local started=$SECONDS built=Build/MdeModule/RELEASE_GCC5/X64
    echo "Building firmware's drivers for SD cards; about a minute."
    work=$(mktemp -d "$cache/sd-work.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    fetch_lists deb-src
    cd "$work"
    run fetch private_apt apt-get source edk2
    cd "$work"/edk2-*/
    keep_the_answer
    build_drivers
    mkdir "$work/result"
    run rom BaseTools/Source/C/bin/EfiRom "${sdhci_pci[@]}" \
        -e "$built/SdMmcPciHcDxe.efi" "$built/SdDxe.efi" -o "$work/result/sd.rom"
    mv -T "$work/result" "$target"
    echo "Made in $((SECONDS - started)) s."
}

main() {
    local output target
    take_out_alone "$here/../../build/sd" "$@"
    mkdir -p "$output" "$cache"
    output=$(cd "$output" && pwd)
    exec 9>"$cache/sd-lock"
    flock -w "$lock_s" 9 ||
        fail "another run has held $cache/sd-lock for more than $lock_s s; end it, and retry"
    target=$cache/sd-$(sha256sum "$here/sd_rom.sh" | cut -c 1-12)
    if [[ ! -d $target ]]; then
        check_tools
        rm -rf "$cache"/sd-work.*
        fetch_and_make
    fi
    keep_two sd "$target/sd.rom"
    ln -sfn "$target/sd.rom" "$output/sd.rom"
}

main "$@"
