#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Conformance suite of the model machine: conform.sh [QEMU] [WORD]
# QEMU is build/machine/qemu-system-x86_64 when not given; with WORD, only the scenarios run whose
# name has it. The image of conform/ is built under build/conform/ with gcc, or CC=clang. Exit 0
# when every check passed; the last line counts all checks of all scenarios.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$here/../..
qemu=${1:-$top/build/machine/qemu-system-x86_64}
only=${2:-}
build=$top/build/conform
passed=0
failed=0

# isa-debug-exit turns the byte n into the status 2n + 1; 1 is therefore "nothing failed".
readonly good=1
readonly scenario_s=60

flags=(-m32 -std=gnu11 -O2 -ffreestanding -nostdlib -fno-pic -mgeneral-regs-only
    -fno-stack-protector -Wall -Wextra -Werror)

# The assembly goes first: the predictor knows branches by the low bits of their addresses, which
# then do not depend on the compiler.
build_image() {
    local file objects=()
    mkdir -p "$build"
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
}

# NAME WORDS CHECKS CPU FIRST_LINE [QEMU_OPTIONS...]: WORDS is the scenario of conform/main.c and
# its argument, CHECKS how many there must be, FIRST_LINE what CPUID.0AH and 345h must say.
scenario() {
    local name=$1 words=$2 checks=$3 cpu=$4 first=$5 status=0 out=$build/out counts twice
    shift 5
    [[ $name == *"$only"* ]] || return 0
    timeout --foreground -k 5 "$scenario_s" "$qemu" -L /usr/share/qemu -L /usr/share/seabios \
        -machine q35,smm=on -accel tcg,thread=multi -m 256 -cpu "$cpu" -display none -nodefaults \
        -debugcon "file:$out" -device isa-debug-exit,iobase=0xf4 -no-reboot \
        -kernel "$build/conform.elf" -append "$words" "$@" 2>"$build/err" || status=$?
    counts=$(tail -n 1 "$out")
    twice=$(awk '/^(ok|FAIL) / { sub(/^[a-zA-Z]+ /, ""); sub(/: got .* \(hex\)$/, "")
        if (seen[$0]++) { print; exit } }' "$out")
    if [[ $status == "$good" && $counts == "$checks passed, 0 failed" && -z $twice &&
        $(head -n 1 "$out") == "$first" ]]; then
        passed=$((passed + checks))
        printf 'ok   %-42s %s\n' "$name" "$counts"
        return
    fi
    # What went wrong with the scenario as a whole is a failure beside those that it counted.
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

# NAME WANTED GOT: a check of what QEMU itself has said.
trace_is() {
    if [[ $2 == "$3" ]]; then
        passed=$((passed + 1))
        echo "ok   $1"
    else
        failed=$((failed + 1))
        echo "FAIL $1: ${3:-nothing}, not $2"
    fi
}

# shellcheck source=/dev/null # it is looked at by itself
source "$here/conform_scenarios.sh"

build_image
run_scenarios
echo "$passed passed, $failed failed"
[[ $failed == 0 && $passed != 0 ]]
