#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Self-test of the model machine: smoke.sh [QEMU]   (default build/machine/qemu-system-x86_64)
# Exit 0 when every scenario passed. Takes about 4 seconds.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
qemu=${1:-$here/../../build/machine/qemu-system-x86_64}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# isa-debug-exit turns the byte n into the status 2n + 1; 1 is therefore "nothing failed".
readonly good=1

# NAME LETTER CHECKS CPU LEAF_0AH [QEMU_OPTIONS...]: CHECKS is how many there must be, LEAF_0AH
# EAX EBX ECX EDX as the guest must see it
scenario() {
    local name=$1 letter=$2 checks=$3 cpu=$4 leaf=$5 status=0 counts
    shift 5
    timeout --foreground -k 5 20 "$qemu" -L /usr/share/qemu -L /usr/share/seabios -machine q35 \
        -accel tcg,thread=multi -cpu "$cpu" -display none -nodefaults \
        -debugcon "file:$work/out" -device isa-debug-exit,iobase=0xf4 -no-reboot \
        -kernel "$work/smoke.bin" -append "$letter" "$@" 2>"$work/err" || status=$?
    counts=$(tail -n 1 "$work/out")
    if [[ $status == "$good" && $counts == "$checks passed, 0 failed" ]] &&
        [[ $(head -n 1 "$work/out") == "cpuid.0ah $leaf" ]]; then
        passed=$((passed + 1))
        printf 'ok   %-34s %s\n' "$name" "$counts"
    else
        failed=$((failed + 1))
        printf 'FAIL %-34s status %s, %s, not %s\n' "$name" "$status" "${counts:-no output}" \
            "$checks passed"
        awk 'NR == 1 || (/FAIL/ && ++n <= 20)' "$work/out"
        awk '!/support requested feature/ && ++n <= 5' "$work/err"
    fi
}

# The trace of the first window must agree with its count: closing less opening write.
trace_agrees() {
    local first
    first=$(awk '/msr 0x38f value 0x1 / { open = $9; next }
        /msr 0x38f value 0x0 / && open { print $9 - open; exit }' "$work/trace")
    if [[ $first == 6 ]]; then
        passed=$((passed + 1))
        echo "ok   trace of the empty kernel"
    else
        failed=$((failed + 1))
        echo "FAIL trace of the empty kernel: ${first:-nothing} instructions, not 6"
    fi
}

# The trace's order must show the second window open before the first one closes.
windows_overlap() {
    local open
    open=$(awk '/msr 0x38f / { open[$3] = $7 != "0x0"
        if (open[0] && open[1]) { print 2; exit } }' "$work/trace-two")
    if [[ $open == 2 ]]; then
        passed=$((passed + 1))
        echo "ok   two CPUs measure at the same time"
    else
        failed=$((failed + 1))
        echo "FAIL two CPUs measure at the same time: no two windows are open together"
    fi
}

# A write that raises #GP is traced as refused, and only such a one.
refusals_are_traced() {
    local first others
    first=$(awk '/msr 0x34 / { print $NF; exit }' "$work/trace-gp")
    others=$(awk '!/msr 0x34 / && $NF != 0' "$work/trace-gp")
    if [[ $first == 1 && -z $others ]]; then
        passed=$((passed + 1))
        echo "ok   refused writes in the trace"
    else
        failed=$((failed + 1))
        echo "FAIL refused writes in the trace: ${first:-none} for MSR 34h; ${others:-no others}"
    fi
}

nasm -f bin -I "$here/" -o "$work/smoke.bin" "$here/smoke.asm"
core=Skylake-Server,pmu=on
v4='07300404 00000058 00000000 00000603'
absent='00000000 00000000 00000000 00000000'

scenario "version 1" n 205 $core,pmu-version=1 '07300401 00000058 00000000 00000000'
scenario "version 2" n 262 $core,pmu-version=2 '07300402 00000058 00000000 00000603'
scenario "version 3" n 262 $core,pmu-version=3 '07300403 00000058 00000000 00000603'
# Two CPUs, for QEMU translates locked instructions in another way when it has more than one.
scenario "version 4" n 266 $core "$v4" -smp 2 -trace pmu_model_wrmsr -D "$work/trace"
trace_agrees
scenario "version 5" n 266 $core,pmu-version=5 '07300405 00000058 00000007 00008603'
scenario "8 of 40 bits, 2 fixed of 40" n 209 \
    $core,pmu-gp=8,pmu-width=40,pmu-fixed=2,pmu-fixed-width=40 \
    '07280804 00000058 00000000 00000502'
scenario "2 counters of 32 bits" n 227 $core,pmu-gp=2,pmu-width=32 \
    '07200204 00000058 00000000 00000603'
scenario "no full-width writes" n 227 $core,pmu-full-width=off,pmu-gp=2 \
    '07300204 00000058 00000000 00000603'
for model in Nehalem SandyBridge Haswell Icelake-Server; do
    scenario "$model" n 266 $model,pmu=on "$v4"
done
scenario "left running" r 11 $core,pmu-left-running=on "$v4"
scenario "#GP at one MSR" g 3 $core,pmu-gp-msr=0x34 "$v4" -trace pmu_model_wrmsr \
    -D "$work/trace-gp"
refusals_are_traced
scenario "mute" m 5 $core,pmu-mute=on "$v4"
scenario "two CPUs, one hangs and is revived" h 5 $core,pmu-hang-cpu=1,pmu-hang-open=2 "$v4" \
    -smp 2 -trace pmu_model_wrmsr -D "$work/trace-two"
windows_overlap
scenario "pmu=off is stock" o 3 Skylake-Server "$absent"
scenario "version 0 is stock" o 3 $core,pmu-version=0 "$absent"
scenario "EPYC has no Intel PMU" o 3 EPYC,pmu=on "$absent"
scenario "max has no Intel PMU" o 3 max,pmu=on "$absent"

echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
