#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: conform.sh [--everyday] [QEMU] [WORD]
#
# Run the conformance suite of the model machine.
#
# QEMU is build/machine/qemu-system-x86_64 by default. WORD is a regular expression: a scenario is
# run only if its name matches WORD. The image of conform/ is built with gcc, or with clang if
# CC=clang, in the folder build/conform/ or CONFORM_DIR. The file `checks` in the same folder
# contains a line for every check. The last line of the output gives the numbers of checks that
# passed and that failed.
#
# options:
#   -h, --help  show this help message and exit
#   --everyday  run only the scenarios that conform_scenarios.sh declares as daily; among them are
#               PMUs of versions 1 and 4 to 6, AMD's PMUs, lies, and each kind of uncore
#
# Exit status: 0; 1 a check failed, or no check ran; 2 wrong usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$here/../..

# shellcheck source=/dev/null # it is checked separately
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/options.sh"

taken=()
take_options '' everyday "$@"
set -- "${taken[@]}"
everyday=
while [[ $1 != -- ]]; do
    everyday=1
    shift
done
shift
(($# <= 2)) || usage "unexpected '$3'"
qemu=${1:-$top/build/machine/qemu-system-x86_64}
only=${2:-}
build=${CONFORM_DIR:-$top/build/conform}
passed=0
failed=0
accel=multi # or "single", for -icount

# isa-debug-exit turns the byte n into the exit status 2n + 1: 1 means that nothing failed.
readonly good=1
# The limit on CPU time does not depend on the host's load. The limit on elapsed time is for
# machines whose CPUs all halt, because no CPU time passes then.
readonly scenario_cpu_s=60 scenario_s=600

flags=(-m32 -std=gnu11 -O2 -ffreestanding -nostdlib -fno-pic -mgeneral-regs-only
    -fno-stack-protector -Wall -Wextra -Werror)

# The assembly is linked first, so that its addresses do not depend on the compiler: the predictor
# uses their low bits.
build_image() {
    local file objects=() key
    mkdir -p "$build"
    : >"$build/checks"
    key=$({ echo "${CC:-gcc}" "${flags[@]}" && cat "$here"/conform/*; } | sha256sum)
    [[ $(cat "$build/key" 2>/dev/null) != "$key" ]] || return 0
    for file in start window kernels special; do
        nasm -f elf32 -Werror -I "$here/conform/" -o "$build/$file.asm.o" \
            "$here/conform/$file.asm"
        objects+=("$build/$file.asm.o")
    done
    for file in "$here"/conform/*.c; do
        objects+=("$build/${file##*/}.o")
        "${CC:-gcc}" "${flags[@]}" -c -o "${objects[-1]}" "$file"
    done
    ld -m elf_i386 -static -nostdlib -z noexecstack -Ttext=0x100000 \
        -e start -o "$build/conform.elf" "${objects[@]}"
    echo "$key" >"$build/key"
}

daily() {
    local is_daily=1
    "$@"
}

is_wanted() {
    [[ $1 =~ $only && (! $everyday || ${is_daily:-}) ]]
}

# scenario NAME WORDS CHECKS CPU FIRST_LINE [QEMU_OPTIONS...]: runs a scenario. WORDS is the
# scenario's name in conform/main.c and its argument. CHECKS is the expected number of checks.
# FIRST_LINE gives the expected CPUID.0AH and MSR 345h.
scenario() {
    local name=$1 words=$2 checks=$3 cpu=$4 first=$5 status=0 out=$build/out counts twice
    shift 5
    is_wanted "$name" || return 0
    : >"$out"
    (ulimit -t "$scenario_cpu_s" && exec timeout --foreground -k 5 "$scenario_s" \
        "$qemu" -L /usr/share/qemu -L /usr/share/seabios \
        -machine q35,smm=on -accel "tcg,thread=$accel" -m 256 -cpu "$cpu" \
        -display none -nodefaults -no-reboot \
        -debugcon "file:$out" -device isa-debug-exit,iobase=0xf4 \
        -kernel "$build/conform.elf" -append "$words" "$@" 2>"$build/err") || status=$?
    counts=$(tail -n 1 "$out")
    grep -E '^(ok|FAIL) ' "$out" >>"$build/checks" || true
    if [[ $(head -n 1 "$out") == "$first" ]]; then
        echo "ok the first line"
    else
        echo "FAIL the first line: got $(head -n 1 "$out")"
    fi >>"$build/checks"
    twice=$(awk '/^(ok|FAIL) / { sub(/^[a-zA-Z]+ /, ""); sub(/: got .* \(hex\)$/, "")
        if (seen[$0]++) { print; exit } }' "$out")
    if [[ $status == "$good" && $counts == "$checks passed, 0 failed" && -z $twice &&
        $(head -n 1 "$out") == "$first" ]]; then
        passed=$((passed + checks))
        printf 'ok   %-42s %s\n' "$name" "$counts"
        return
    fi
    local ok bad
    ok=$(grep -c '^ok ' "$out" || true)
    bad=$(grep -c '^FAIL ' "$out" || true)
    [[ $bad != 0 && $((ok + bad)) == "$checks" ]] || bad=$((bad + 1))
    passed=$((passed + ok))
    failed=$((failed + bad))
    printf 'FAIL %-42s status %s, %s, not %s passed\n' "$name" "$status" \
        "${counts:-no output}" "$checks"
    [[ -z $twice ]] || echo "two checks have the name: $twice"
    [[ $(head -n 1 "$out") == "$first" ]] || echo "the first line is not: $first"
    awk 'NR == 1 || (/^FAIL/ && ++n <= 20)' "$out"
    awk '!/support requested feature/ && ++n <= 5' "$build/err"
}

trace_is() {
    if [[ $2 == "$3" ]]; then
        passed=$((passed + 1))
        echo "ok   $1" | tee -a "$build/checks"
    else
        failed=$((failed + 1))
        echo "FAIL $1: got ${3:-nothing}, not $2" | tee -a "$build/checks"
    fi
}

# shellcheck source=/dev/null # it is checked separately
source "$here/conform_scenarios.sh"

build_image
run_scenarios
echo "$passed passed, $failed failed"
[[ $failed == 0 && $passed != 0 ]]
