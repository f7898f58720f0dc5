# SPDX-License-Identifier: BSD-2-Clause
# Functions of make-image and make-iso that parse arguments and make FAT volumes without root.
# Before the first call, a script must set `work` to a temporary folder. It must also set the
# variables that make_disk() needs.
# shellcheck shell=bash disable=SC2154 # the scripts set these

set -E
trap 'exit 4' ERR

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=/dev/null # it is checked separately
source "$scripts/lib/options.sh"

PATH=$PATH:/usr/sbin # for sgdisk

fat32_clusters=70000 # FAT32 needs at least 65525
fat16_cluster=4      # sectors; suits 8 to 127 MiB

# FAT stores local times with a resolution of 2 s.
export TZ=UTC SOURCE_DATE_EPOCH=1767225600 # 2026-01-01
export MTOOLSRC=/dev/null MTOOLS_SKIP_CHECK=1

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

host_error() {
    echo "${0##*/}: $*" >&2
    exit 4
}

# parse LEAST_MIB ARGUMENT...: sets program, out, plan, kernels, events, built_with and size_mib.
# size_mib must have its default before the call.
parse() {
    local taken kernel size_mib_min=$1
    take_options o: out:,plan:,kernel:,events:,built-with:,size-mib: "${@:2}"
    set -- "${taken[@]}"
    out=
    plan=$scripts/plans/default.cfg
    kernels=()
    events=
    built_with=
    while [[ $1 != -- ]]; do
        case $1 in
        -o | --out) out=$2 ;;
        --plan) plan=$2 ;;
        --kernel) kernels+=("$2") ;;
        --events) events=$2 ;;
        --built-with) built_with=$2 ;;
        --size-mib) size_mib=$2 ;;
        esac
        shift 2
    done
    (($# == 2)) || usage "expected one program"
    [[ $out ]] || usage "expected -o: where the image goes"
    program=$2
    [[ $size_mib =~ ^[0-9]{1,6}$ ]] || usage "--size-mib: expected a number"
    ((10#$size_mib >= size_mib_min)) || fail "--size-mib: at least $size_mib_min"
    size_mib=$((10#$size_mib))
    [[ -f $program ]] || fail "$program: no such file"
    [[ -f $plan ]] || fail "$plan: no such file"
    for kernel in "${kernels[@]}"; do
        [[ ${kernel,,} == *.bin ]] ||
            fail "$kernel: not a .bin file; scripts/build-kernel makes one from it"
        [[ -f $kernel ]] || fail "$kernel: no such file"
    done
    [[ -z $built_with || -f $built_with ]] || fail "$built_with: no such file"
    [[ -z $events || -f $events/index.csv ]] || fail "$events: no event tables (make events)"
}

stage_program() {
    mkdir -p "$1/EFI/BOOT"
    cp "$program" "$1/EFI/BOOT/BOOTX64.EFI"
    if [[ $built_with ]]; then
        mkdir "$1/EFI/barecount"
        sed 's/$/\r/' "$built_with" >"$1/EFI/barecount/build.txt"
    fi
}

stage_data() {
    mkdir -p "$1"/barecount/{plans,results,events,kernels}
    sed 's/$/\r/' "$scripts/stick-readme.txt" >"$1/README.TXT"
    cp "$plan" "$1/barecount/plan.cfg"
    cp "$scripts"/plans/*.cfg "$1/barecount/plans/"
    [[ -z $events ]] || find "$events/" -maxdepth 1 \( -name '*.csv' -o -name '*-license.txt' \) \
        -exec cp -t "$1/barecount/events" {} +
    ((${#kernels[@]} == 0)) || cp "${kernels[@]}" "$1/barecount/kernels/"
}

stage_times() {
    find "$@" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
}

# format IMAGE START_MIB MIB SERIAL LABEL FOLDER: makes a FAT volume, FAT32 if it is large enough.
format() {
    local sectors=$(($3 * 2048)) cluster=1 at="$1@@$2M" file kind
    while ((sectors / (2 * cluster) >= fat32_clusters)); do
        cluster=$((2 * cluster))
    done
    kind=(-F -c "$cluster")
    ((sectors >= fat32_clusters)) || kind=(-c "$fat16_cluster")
    mformat -i "$at" -T "$sectors" -h 16 -s 63 -H $(($2 * 2048)) "${kind[@]}" -N "$4" -v "$5" ::
    # mcopy would copy a folder in the order of the host's file system.
    (cd "$6" && find . -mindepth 1 | LC_ALL=C sort) | while read -r file; do
        if [[ -d $6/$file ]]; then
            mmd -i "$at" "::${file#.}" || exit
        else
            mcopy -m -i "$at" "$6/$file" "::${file#.}" || exit
        fi
    done || fail "volume $5 of $3 MiB: its files do not fit; see above"
}

# make_disk IMAGE LABEL FOLDER [OPTION]: makes an image with a GPT, an ESP with the files of FOLDER,
# and a second partition with the files of $work/data. OPTION is passed to sgdisk. The variables
# guid, esp_serial, data_serial, esp_start_mib, esp_mib and size_mib must be set.
make_disk() {
    local data_start_mib=$((esp_start_mib + esp_mib))
    local data_mib=$((size_mib - data_start_mib - 1)) # the last MiB contains the backup table
    truncate -s "${size_mib}M" "$1"
    sgdisk "${@:4}" --set-alignment=2048 --clear --disk-guid="$guid-000000000000" \
        --new=1:"$esp_start_mib"M:+"$esp_mib"M --typecode=1:EF00 \
        --partition-guid=1:"$guid-000000000001" --change-name=1:"EFI System" \
        --new=2:"$data_start_mib"M:+"$data_mib"M --typecode=2:0700 \
        --partition-guid=2:"$guid-000000000002" --change-name=2:BARECOUNT "$1" \
        >"$work/log" 2>&1 || host_error "sgdisk: $(cat "$work/log")"
    format "$1" "$esp_start_mib" "$esp_mib" "$esp_serial" "$2" "$3"
    format "$1" "$data_start_mib" "$data_mib" "$data_serial" BARECOUNT "$work/data"
}

# deliver FILE: replaces $out atomically by a sparse copy of FILE.
deliver() {
    cp --sparse=always "$1" "$out.new"
    mv "$out.new" "$out"
}
