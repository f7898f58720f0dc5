# SPDX-License-Identifier: GPL-2.0-or-later
# The scenarios of conform.sh: for each machine, its expected CPUID and the number of checks.
# shellcheck shell=bash disable=SC2154 # conform.sh sets build and qemu

first_window() {
    awk '/msr 0x38f value 0x1 / { open = $9; next }
        /msr 0x38f value 0x0 / && open { print $9 - open; exit }' "$1"
}

# Prints the largest number of windows of CPUs 0 and 1 that were open at the same time: 0, 1 or 2.
# The trace's lines must be in the order of the writes.
windows_together() {
    awk '/msr 0x38f / { open[$3] = $7 != "0x0"; sum = open[0] + open[1]
        if (sum > most) most = sum } END { print most + 0 }' "$1"
}

# Prints the numbers of refused writes to MSR 34h and to other MSRs.
refusals() {
    awk '/_wrmsr/ { refused[$5 == "0x34"] += $NF }
        END { print refused[1] + 0, refused[0] + 0 }' "$1"
}

reads() {
    awk '/_rdmsr/ { reads[$5]++ } END { print reads["0x34"] + 0, reads["0x8b"] + 0 }' "$1"
}

versions() {
    local core=Skylake-Server,pmu=on none='00000000 00000000'
    daily scenario "version 1" all 2326 $core,pmu-version=1 "0ah 07300401 $none 00000000 345h 0"
    scenario "version 2" all 2729 $core,pmu-version=2 "0ah 07300402 $none 00000603 345h 3000"
    scenario "version 3" all 2729 $core,pmu-version=3 "0ah 07300403 $none 00000603 345h 3000"
    # With two CPUs, QEMU translates locked instructions differently.
    daily scenario "version 4" all 2786 $core "0ah 07300404 $none 00000603 345h 3000" -smp 2
    scenario "version 5" all 2786 $core,pmu-version=5 \
        '0ah 07300405 00000000 00000007 00008603 345h 3000'
    daily scenario "version 6" version-6 101 \
        Icelake-Server,pmu=on,pmu-core-type=0x40,pmu-native-model=3 \
        '0ah 08300a06 00000000 0000000f 00008604 345h b000'
    scenario "version 6 with holes" absent 40 \
        $core,pmu-version=6,pmu-gp=10,pmu-absent=0x4a,pmu-fixed=7,pmu-fixed-absent=8 \
        '0ah 07300a06 00000000 00000077 00008603 345h 3000'
    scenario "8 of 40 bits, 2 fixed of 40" shape 460 \
        $core,pmu-gp=8,pmu-width=40,pmu-fixed=2,pmu-fixed-width=40 \
        "0ah 07280804 $none 00000502 345h 3000"
    scenario "2 counters of 32 bits" shape 273 $core,pmu-gp=2,pmu-width=32,pmu-fixed-width=32 \
        "0ah 07200204 $none 00000403 345h 3000"
    scenario "no full-width writes" shape 269 $core,pmu-full-width=0,pmu-gp=2 \
        "0ah 07300204 $none 00000603 345h 1000"
}

readonly v3='0ah 07300403 00000000 00000000 00000603 345h'
readonly v4='0ah 07300404 00000000 00000000 00000603 345h 3000'
readonly v5='0ah 08300805 00000000 0000000f 00008604 345h b000'

# Columns: CPU model, number of checks, number of checks of its state MSRs, CPUID.0AH, 345h, and
# `daily` if `conform.sh --everyday` runs the scenarios too.
each_cpu() {
    local cpu checks state leaf capabilities mark
    while read -r cpu checks state leaf capabilities mark <&3; do
        leaf="0ah ${leaf//_/ } 345h $capabilities"
        $mark scenario "$cpu" all "$checks" "$cpu,pmu=on" "$leaf"
        $mark scenario "$cpu: what it says of itself" rules 97 "$cpu,pmu=on" "$leaf"
        $mark scenario "$cpu: state MSRs" state "$state" "$cpu,pmu=on,pmu-strict-msr=on" "$leaf"
    done 3<<END
Nehalem 2658 62 07300403_00000000_00000000_00000603 1000
SandyBridge 2725 64 07300403_00000000_00000000_00000603 3000
Haswell 2725 63 07300403_00000000_00000000_00000603 3000
Skylake-Client 2786 69 07300404_00000000_00000000_00000603 3000
Skylake-Server 2786 69 07300404_00000000_00000000_00000603 3000
Icelake-Server 3004 69 08300805_00000000_0000000f_00008604 b000 daily
Icelake-Server,pmu-core-type=0x40 3004 69 08300805_00000000_0000000f_00008604 b000
Icelake-Server,pmu-core-type=0x20 2819 69 07300605_00000000_00000007_00008603 3000
END
    scenario "Icelake-Server-v4: the clock of 3C/01" clock 41 Icelake-Server-v4,pmu=on "$v5"
    scenario "Sapphire Rapids: the clock of 3C/01" clock 41 Icelake-Server,pmu=on,model=143 "$v5"
    scenario "Nehalem: not strict" lenient 42 Nehalem,pmu=on "$v3 1000"
    scenario "Skylake-Server: not strict" lenient 15 Skylake-Server,pmu=on "$v4"
}

machines() {
    local core=Skylake-Server,pmu=on
    daily scenario "freeze in SMM, version 4" smm 17 $core "$v4"
    scenario "freeze in SMM, version 3" smm 17 Haswell,pmu=on "$v3 3000"
    scenario "freeze in SMM, version 5" smm 17 Icelake-Server,pmu=on "$v5"
    daily scenario "siblings, version 4" siblings 8 $core "$v4" -smp 2,threads=2
    scenario "siblings, version 3" siblings 8 Haswell,pmu=on "$v3 3000" -smp 2,threads=2
    scenario "two cores, no siblings" siblings 8 $core "$v4" -smp 2,cores=2
    daily scenario "hybrid" hybrid 12 Icelake-Server,pmu=on,pmu-core-type=0x40 "$v5" \
        -smp 1,maxcpus=2,cores=2 -device "Icelake-Server-x86_64-cpu,pmu=on,pmu-core-type=0x20,\
socket-id=0,die-id=0,core-id=1,thread-id=0"
    scenario "caches as QEMU's" "caches 0" 151 $core "$v4"
    daily scenario "caches of a 16th" "caches 4" 151 $core,pmu-cache-shift=4 "$v4"
    scenario "caches of a 32nd" "caches 5" 151 $core,pmu-cache-shift=5 "$v4"
    daily scenario "pmu-rules=off says nothing of itself" no-rules 1 $core,pmu-rules=off "$v4"
    daily scenario "the signature of a hypervisor" hypervisor 2 $core,pmu-hypervisor=KVMKVMKVM "$v4"
    daily scenario "left running" left-running 11 $core,pmu-left-running=on "$v4"
    daily scenario "pmu=off is stock" off 4 Skylake-Server \
        '0ah 00000000 00000000 00000000 00000000 345h 0'
    scenario "version 0 is stock" off 4 $core,pmu-version=0 \
        '0ah 00000000 00000000 00000000 00000000 345h 0'
    scenario "max has no Intel PMU" off 4 max,pmu=on \
        '0ah 00000000 00000000 00000000 00000000 345h 0'
}

# The argument of amd and amd-left-running is the number of sets of the L2, minus one. With model=17
# (Genoa), QEMU's EPYC-Milan is a Zen 4.
zens() {
    local cpu empty='0ah 00000000 00000000 00000000 00000000 345h 0' zen_4=EPYC-Milan,model=17
    local strict=pmu=on,pmu-strict-msr=on
    for cpu in EPYC Dhyana; do
        scenario "$cpu" "amd 1023" 1063 "$cpu,$strict" "$empty"
    done
    daily scenario "Zen 2" "amd 1023" 1063 "EPYC-Rome,$strict" "$empty"
    scenario "Zen 3" "amd 1023" 1063 "EPYC-Milan,$strict" "$empty"
    daily scenario "Zen 4" "amd 1023" 1092 "$zen_4,$strict" "$empty"
    scenario "Zen 5" "amd 1023" 1092 "$zen_4,family=26,$strict" "$empty"
    scenario "Zen 4: caches of a 16th" "amd 63" 1092 "$zen_4,$strict,pmu-cache-shift=4" "$empty"
    scenario "Zen 2: left running" "amd-left-running 1023" 13 \
        "EPYC-Rome,pmu=on,pmu-left-running=on" "$empty"
    daily scenario "Zen 4: left running" "amd-left-running 1023" 17 \
        "$zen_4,pmu=on,pmu-left-running=on" "$empty"
    scenario "Zen 2 of a hypervisor: legacy counters" amd-legacy 10 \
        "EPYC-Rome,$strict,pmu-gp=4" "$empty"
    scenario "qemu64 as a Zen" "amd-left-running 511" 13 \
        qemu64,family=23,model=49,pmu=on,pmu-left-running=on "$empty"
}

amd_lies() {
    local empty='0ah 00000000 00000000 00000000 00000000 345h 0' zen_4=EPYC-Milan,model=17,pmu=on
    local takes=pmu-smm-takes=0,pmu-inject=smi,pmu-inject-open=3,pmu-inject-after=7
    daily scenario "Zen 3 overcounts" amd-overcounts 21 EPYC-Milan,pmu=on,pmu-overcounts=3 "$empty"
    scenario "Zen 4 overcounts" amd-overcounts 21 "$zen_4,pmu-overcounts=3" "$empty"
    scenario "Zen 5 overcounts" amd-overcounts 21 "$zen_4,family=26,pmu-overcounts=3" "$empty"
    daily scenario "Zen 2: locked instructions run ahead" amd-lock-excess 13 \
        EPYC-Rome,pmu=on,pmu-lock-excess=2 "$empty"
    scenario "Zen 4: locked instructions run ahead" amd-lock-excess 13 \
        "$zen_4,pmu-lock-excess=2" "$empty" -smp 2
    daily scenario "Zen 2: configuration is ignored" amd-cfg-ignored 5 \
        EPYC-Rome,pmu=on,pmu-cfg-ignored=on "$empty"
    daily scenario "Zen 4: a reserved status bit" amd-reserved-status 3 \
        "$zen_4,pmu-reserved-status=0x80" "$empty"
    scenario "Zen 2: SMIs" amd-smi 8 EPYC-Rome,pmu=on "$empty"
    daily scenario "Zen 4: SMIs" amd-smi 8 "$zen_4" "$empty"
    scenario "Zen 2: firmware takes a counter in SMM" amd-smm-takes 4 "EPYC-Rome,pmu=on,$takes" \
        "$empty"
    scenario "Zen 4: firmware takes a counter in SMM" amd-smm-takes 8 "$zen_4,$takes" "$empty"
    scenario "Zen 2: INIT" amd-init 15 EPYC-Rome,pmu=on "$empty" -smp 2
    daily scenario "Zen 4: INIT" amd-init 16 "$zen_4" "$empty" -smp 2
}

# The argument is the counter's bit in IA32_PERF_GLOBAL_CTRL.
counter_lies() {
    local core=Skylake-Server,pmu=on bit=$1
    scenario "counter $bit is stuck" "stuck $bit" 7 $core,pmu-stuck="$bit" "$v4"
    scenario "counter $bit is off by one" "off-by-one $bit" 6 $core,pmu-off-by-one="$bit" "$v4"
    scenario "counter $bit: wrong ring" "wrong-ring $bit" 3 $core,pmu-wrong-ring="$bit" "$v4"
    scenario "counter $bit wraps" "wrap $bit" 7 $core,pmu-wrap="$bit" "$v4"
    scenario "counter $bit is late" "late $bit" 4 $core,pmu-late="$bit" "$v4"
    scenario "counter $bit is noisy" "noisy $bit" 40 $core,pmu-noisy="$bit" "$v4"
}

lies() {
    local core=Skylake-Server,pmu=on
    daily counter_lies 1
    counter_lies 32
    daily scenario "promised counters" promised 18 $core,pmu-gp=2,pmu-promised=2 "$v4"
    daily scenario "mute" mute 22 $core,pmu-mute=on "$v4"
    daily scenario "#GP at one MSR" gp-msr 3 $core,pmu-gp-msr=0x34 "$v4" \
        -trace 'pmu_model_*msr' -D "$build/trace-gp"
    if daily is_wanted "#GP at one MSR"; then
        trace_is "reads in the trace" "1 1" "$(reads "$build/trace-gp")"
        trace_is "refused writes in the trace" "1 0" "$(refusals "$build/trace-gp")"
    fi
    daily scenario "a counter stands still later on" stuck-from 4 \
        $core,pmu-stuck=0,pmu-stuck-from=3 "$v4"
    daily scenario "exits count" exit-counts 3 $core,pmu-exit-counts=7 "$v4"
    daily scenario "an MSR reads 0" zero-msr 3 $core,pmu-zero-msr=0x199 "$v4"
    daily scenario "a crystal without a name" crystal 4 $core,pmu-crystal=on "$v4"
    daily scenario "one CPU of two lies" lie-cpu 3 $core,pmu-stuck=0,pmu-lie-cpu=1 "$v4" -smp 2 \
        -trace pmu_model_wrmsr -D "$build/trace"
    if daily is_wanted "one CPU of two lies"; then
        trace_is "trace of the first window" 6 "$(first_window "$build/trace")"
    fi
    daily scenario "two CPUs, one hangs and is revived" hang 12 \
        $core,pmu-hang-cpu=1,pmu-hang-open=2 "$v4" -smp 2 \
        -trace pmu_model_wrmsr -D "$build/trace-two"
    if daily is_wanted "two CPUs, one hangs and is revived"; then
        trace_is "windows open at the same time" 2 "$(windows_together "$build/trace-two")"
    fi
    daily scenario "a CPU ignores a start" deaf 5 $core,pmu-deaf-cpu=1,pmu-deaf-sipi=2 "$v4" -smp 2
    scenario "a store does not end MWAIT" asleep 2 $core,monitor=on,pmu-asleep-cpu=1 "$v4" \
        -smp 2
    scenario "a CPU is slow to send an NMI" slow 5 $core,pmu-slow-cpu=0,pmu-slow-us=6000000 "$v4" \
        -smp 2
    daily scenario "microcode of WRMSR loads" wrmsr-loads 6 $core,pmu-wrmsr-loads=2 "$v4"
    daily scenario "Nehalem counts cycles" count-cycles 5 Nehalem,pmu=on,pmu-count-cycles=on \
        "$v3 1000"
    daily scenario "IRET counts in ring 3" iret-user 7 $core,pmu-iret-user=on "$v4"
    daily scenario "NMIs are injected" inject-nmi 21 \
        $core,pmu-inject=nmi,pmu-inject-open=3,pmu-inject-period=2,pmu-inject-after=5 "$v4"
    scenario "an NMI at once" inject-at-once 8 $core,pmu-inject=nmi,pmu-inject-open=2 "$v4"
    daily scenario "an SMI is injected" inject-smi 8 \
        $core,pmu-inject=smi,pmu-inject-open=3,pmu-inject-after=7 "$v4"
    daily scenario "firmware moves counters in SMM" smm-moves 4 \
        $core,pmu-smm-moves=1000,pmu-inject=smi,pmu-inject-open=3,pmu-inject-after=7 "$v4"
    daily scenario "firmware takes a counter in SMM" smm-takes 8 \
        $core,pmu-smm-takes=0,pmu-inject=smi,pmu-inject-open=3,pmu-inject-after=7 "$v4"
    daily scenario "a thermal event is injected" inject-thermal 8 \
        $core,pmu-inject=thermal,pmu-inject-open=2 "$v4"
    scenario "an injection within a kernel" inject-within 5 \
        $core,pmu-inject=thermal,pmu-inject-after=10 "$v4"
    daily scenario "a clock change is injected" inject-clock 10 \
        $core,pmu-inject=clock,pmu-inject-open=2 "$v4"
    daily scenario "a machine check is injected" inject-machine-check 16 \
        $core,pmu-inject=machine-check,pmu-inject-open=2,pmu-inject-period=1 "$v4"
    daily scenario "a #MC with RIPV" inject-mc 7 \
        $core,pmu-inject=mc,pmu-inject-open=2,pmu-inject-after=5 "$v4"
    scenario "a #MC without RIPV" inject-mc-fatal 7 \
        $core,pmu-inject=mc-fatal,pmu-inject-open=2,pmu-inject-after=5 "$v4"
    scenario "a #MC that asks for a repair" inject-mc-action 7 \
        $core,pmu-inject=mc-action,pmu-inject-open=2,pmu-inject-after=5 "$v4"
    scenario "a #MC that asks another CPU for one" inject-mc-sibling 7 \
        $core,pmu-inject=mc-sibling,pmu-inject-open=2,pmu-inject-after=5 "$v4"
    scenario "a #MC with PCC" inject-mc-corrupt 8 \
        $core,pmu-inject=mc-corrupt,pmu-inject-open=2,pmu-inject-after=5 "$v4"
    scenario "a #MC of another CPU" inject-mc-elsewhere 7 \
        $core,pmu-inject=mc-elsewhere,pmu-inject-open=2,pmu-inject-after=5 "$v4"
    scenario "an old error" old-error 8 "$core,pmu-old-error=0xb200000000000005,\
pmu-inject=mc-elsewhere,pmu-inject-open=2,pmu-inject-after=5" "$v4"
    daily scenario "a limit is injected" inject-limit 7 $core,pmu-inject=limit,pmu-inject-open=2 \
        "$v4"
    daily scenario "hot for ever" hot 7 $core,pmu-hot=on "$v4"
    daily scenario "a clock that dithers" dither 4 $core,pmu-dither-us=2000 "$v4"
    daily scenario "MPERF at the base ratio" mperf-slow 3 $core,pmu-mperf-slow=3623 "$v4"
    scenario "a limit is injected, Haswell" inject-limit 7 \
        Haswell,pmu=on,pmu-inject=limit,pmu-inject-open=2 "$v3 3000"
    daily scenario "NMIs are injected again and again" inject-every 12 \
        $core,pmu-inject=nmi,pmu-inject-open=2,pmu-inject-period=1,pmu-inject-after=5,\
pmu-inject-every=20,pmu-inject-times=3 "$v4"
    scenario "an NMI at once, and again" inject-again 4 \
        $core,pmu-inject=nmi,pmu-inject-open=2,pmu-inject-every=20,pmu-inject-times=2 "$v4"
    scenario "SMIs are injected again and again" inject-smi-every 6 \
        $core,pmu-inject=smi,pmu-inject-open=2,pmu-inject-after=7,pmu-inject-every=30,\
pmu-inject-times=3 "$v4"
    daily scenario "a gap after INIT" gap-after-init 4 \
        $core,pmu-inject=gap,pmu-inject-cpu=1,pmu-inject-ticks=4000000000 "$v4" -smp 2
}

# Columns: a lie's number in uncore_lies.c, its name, and its number of checks.
uncore_lies() {
    local cpu=$1 first=$2 number name checks
    while read -r number name checks <&3; do
        scenario "uncore, $cpu: $name" "uncore-lie $number" "$checks" \
            "$cpu,pmu=on,pmu-strict-msr=on,pmu-uncore=$name" "$first"
    done 3<<END
1 off 2
2 stuck 2
3 silent 3
4 left-running 9
5 frozen 3
6 runs 6
7 no-enable 6
8 locked 4
END
}

outside_cores() {
    local imcs=() place cpu first
    for place in 0a.2=0 0a.6=1 0d.2=5; do
        imcs+=(-device "pmu-imc,addr=${place%=*},channel=${place#*=}")
    done
    daily scenario "uncore, Nehalem" uncore-nehalem 143 Nehalem,pmu=on "$v3 1000"
    daily scenario "uncore, Nehalem: overflow" uncore-overflow 88 Nehalem,pmu=on "$v3 1000"
    scenario "uncore, Nehalem: registers" uncore-registers 109 Nehalem,pmu=on "$v3 1000"
    scenario "uncore, Nehalem: two CPUs" uncore-cpus 6 Nehalem,pmu=on "$v3 1000" -smp 2
    for cpu in SandyBridge Haswell; do
        scenario "uncore, $cpu" uncore-client 52 "$cpu,pmu=on" "$v3 3000"
        scenario "uncore, $cpu: registers" uncore-registers 126 "$cpu,pmu=on" "$v3 3000"
    done
    daily scenario "uncore, Skylake-Client" uncore-client 52 Skylake-Client,pmu=on "$v4"
    daily scenario "uncore, Skylake-Client: registers" uncore-registers 126 \
        Skylake-Client,pmu=on "$v4"
    daily scenario "uncore, Skylake-Server" uncore-server 113 Skylake-Server,pmu=on "$v4" \
        "${imcs[@]}" -device pmu-capid6,addr=1e.3 -device pmu-ubox,addr=08.0
    scenario "uncore, Skylake-Server: registers" uncore-registers 242 Skylake-Server,pmu=on "$v4"
    uncore_lies Nehalem "$v3 1000"
    daily uncore_lies Haswell "$v3 3000"
    uncore_lies Skylake-Server "$v4"
    # A counter that starts at its highest value must have wrapped when it is read. A counter that
    # starts in the middle of its range must not have wrapped.
    for cpu in Haswell:3 Skylake-Server:2; do
        first=$v4
        [[ $cpu == Haswell:3 ]] && first="$v3 3000"
        scenario "energy's wrap, ${cpu%:*}" "energy-start 0" "${cpu#*:}" \
            "${cpu%:*},pmu=on,pmu-strict-msr=on,pmu-energy-start=4294967295" "$first"
        scenario "energy's start, ${cpu%:*}" "energy-start 1" "${cpu#*:}" \
            "${cpu%:*},pmu=on,pmu-strict-msr=on,pmu-energy-start=2147483648" "$first"
    done
}

# The second package's PCI functions are on another bus.
two_packages() {
    local packages=(-smp "2,sockets=2,cores=1") where
    scenario "two packages, Nehalem" uncore-packages 37 Nehalem,pmu=on "$v3 1000" "${packages[@]}"
    scenario "two packages, Haswell: energy" package-energy 4 Haswell,pmu=on,pmu-strict-msr=on \
        "$v3 3000" "${packages[@]}"
    packages+=(-device "i82801b11-bridge,id=second,bus=pcie.0,addr=10.0")
    for where in "bus=pcie.0,package=0" "bus=second,package=1"; do
        packages+=(-device "pmu-ubox,addr=08.0,$where" -device "pmu-imc,addr=0a.2,channel=0,$where")
    done
    daily scenario "two packages, Skylake-Server" package-channels 16 \
        Skylake-Server,pmu=on,pmu-chas=1 "$v4" "${packages[@]}"
    scenario "two packages, Skylake-Server: energy" package-energy 3 \
        Skylake-Server,pmu=on,pmu-strict-msr=on "$v4" "${packages[@]}"
}

# With -icount, time follows instructions, and QEMU runs all CPUs in one thread.
by_instructions() {
    # shellcheck disable=SC2034 # scenario in conform.sh reads it
    local core=Skylake-Server,pmu=on accel=single clock=(-icount 'shift=3,sleep=off')
    daily scenario "icount" icount 6 $core "$v4" "${clock[@]}"
    daily scenario "icount: a slow bus clock" bus-slow 4 \
        $core,pmu-bus-slow=2500,pmu-base-ratio=10 "$v4" "${clock[@]}"
    daily scenario "REF_TSC is updated late" late-ref 9 $core,pmu-late-ref=900 "$v4" "${clock[@]}"
    scenario "icount: all" all 2786 $core "$v4" "${clock[@]}"
    scenario "icount: freeze in SMM" smm 17 $core "$v4" "${clock[@]}"
    scenario "icount: NMIs are injected" inject-nmi 21 \
        $core,pmu-inject=nmi,pmu-inject-open=3,pmu-inject-period=2,pmu-inject-after=5 "$v4" \
        "${clock[@]}"
    scenario "icount: an NMI at once" inject-at-once 8 $core,pmu-inject=nmi,pmu-inject-open=2 \
        "$v4" "${clock[@]}"
    scenario "icount: SMIs are injected" inject-smi-every 6 \
        $core,pmu-inject=smi,pmu-inject-open=2,pmu-inject-after=7,pmu-inject-every=30,\
pmu-inject-times=3 "$v4" "${clock[@]}"
    scenario "a gap is injected" inject-gap 8 \
        $core,pmu-inject=gap,pmu-inject-open=2,pmu-inject-ticks=4000000000 "$v4" "${clock[@]}"
}

# registers_at_reset CPU PATTERN [QEMU_OPTIONS...]: prints the property "pmu-registers" before the
# CPU starts, filtered by PATTERN.
registers_at_reset() {
    local cpu=$1 pattern=$2
    shift 2
    "$qemu" -L /usr/share/qemu -L /usr/share/seabios -machine q35 -accel tcg -cpu "$cpu" \
        -display none -nodefaults -S -qmp stdio "$@" <<END 2>"$build/err" |
{"execute": "qmp_capabilities"}
{"execute": "qom-get",
 "arguments": {"path": "/machine/unattached/device[0]", "property": "pmu-registers"}}
{"execute": "quit"}
END
        grep -oE "($pattern) 0x[0-9a-f]+" | sort | paste -sd ' '
}

# README.md and PROPERTIES.md give the values of counters, 38Fh, 345h and 610h at reset.
# QEMU sets IA32_MC2_CTL, XCR0 and the boot CPU's IA32_APIC_BASE. The property leaves out 30Ch,
# 4C1h, E8h and 611h. E8h and 611h change with time.
dump() {
    is_wanted "all registers at reset" || return 0
    trace_is "all registers at reset" "0x1b 0xfee00900 0x1d9 0x0 0x345 0x3000 0x38d 0x0 0x38f 0xf \
0x405 0x0 0x408 0xffffffffffffffff 0x610 0x8400 0xc0000080 0x0 0xc1 0x5a5a5a5a5a5a xcr0 0x1" \
        "$(registers_at_reset Skylake-Server,pmu=on \
            '0x(1b|c1|e8|1d9|30c|345|38[df]|40[58]|4c1|61[01]|c0000080)|xcr0')"
    trace_is "a server's uncore at reset" "0x703 0x0 0x704 0x5a5a5a5a5a5a 0xe00 0x0 0xe06 0x3b \
0xe08 0x5a5a5a5a5a5a 0xe3b 0x5a5a5a5a5a5a imc4-0xa0 0x5a5a5a5a imc4-0xa4 0x5a5a imc4-0xf4 0x0" \
        "$(registers_at_reset Skylake-Server,pmu=on \
            '0x(703|704|e0[068]|e3b|e40)|imc[0-9]-0x(a[04]|f4)' -device pmu-imc,channel=4)"
    trace_is "Zen 4's registers at reset" "0x1d9 0x0 0xc0000300 0x0 0xc0000301 0x3f \
0xc0010015 0x1000010 0xc0010200 0x0 0xc0010201 0x5a5a5a5a5a5a 0xc001020b 0x5a5a5a5a5a5a \
0xc0011020 0x0 0xc0011029 0x0" \
        "$(registers_at_reset EPYC-Milan,model=17,pmu=on \
            '0x(1d9|c000030[0-3]|c00000e[7-9]|c0010004|c0010015|c001020[01b]|c001102[09])')"
    trace_is "Zen 2's registers at reset" "0xc0010015 0x1000010 0xc0010200 0x0" \
        "$(registers_at_reset EPYC-Rome,pmu=on '0x(c000030[0-3]|c0010000|c0010015|c0010200)')"
    trace_is "Nehalem's uncore at reset" "0x391 0x0 0x394 0x5a5a5a5a5a5a 0x396 0x0 0x3c0 0x0" \
        "$(registers_at_reset Nehalem,pmu=on '0x(39[1346]|3c0)')"
}

# refuses PROPERTY TEXT, or refuses NAME TEXT QEMU_OPTIONS...: checks that the machine prints TEXT
# and does not start.
refuses() {
    local name=$1 text=$2 cpu=Skylake-Server,pmu=on status=0
    shift 2
    is_wanted "$name is refused" || return 0
    [[ $# != 0 ]] || cpu+=,$name
    timeout --foreground -k 5 10 "$qemu" -L /usr/share/qemu -L /usr/share/seabios -machine q35 \
        -display none -nodefaults -cpu "$cpu" "$@" >"$build/refused" 2>&1 || status=$?
    trace_is "$name is refused" "status 1, 1 line" \
        "status $status, $(grep -c -- "$text" "$build/refused" || true) line"
}

run_scenarios() {
    daily refuses pmu-version=7 'pmu-version is 0 to 6'
    refuses pmu-gp=11 'pmu-gp 0 to 10'
    refuses pmu-width=49 'pmu-width'
    refuses pmu-cache-shift=6 'pmu-cache-shift is 0 to 5'
    daily refuses "AMD's version 3" 'on AMD pmu-version is 0 to 2' -cpu EPYC,pmu=on,pmu-version=3
    refuses "a fifth counter alone" 'pmu-gp 4 or 6' -cpu EPYC,pmu=on,pmu-gp=5
    refuses "AMD's fixed counter" 'pmu-fixed 0' -cpu EPYC,pmu=on,pmu-fixed=1
    refuses "AMD's counters of 40 bits" 'pmu-width 48' -cpu EPYC,pmu=on,pmu-width=40
    refuses "AMD's counter 6 is stuck" 'a lie names counter 6' -cpu EPYC,pmu=on,pmu-stuck=6
    refuses pmu-overcounts=2 "are lies of AMD's CPUs"
    refuses pmu-smm-takes=4 'names general counter 4'
    refuses pmu-absent=1 'pmu-fixed-absent need pmu-version=6'
    daily refuses pmu-stuck=4 'a lie names counter 4'
    refuses pmu-late=35 'a lie names counter 35'
    refuses pmu-lie-counter=4 'pmu-lie-counter names general counter 4'
    refuses pmu-lie-ring=1 'pmu-lie-ring is 0 or 3'
    refuses pmu-lie-when=often 'pmu-lie-when is neighbour, sibling or high'
    refuses pmu-lie-when=high,pmu-lie-plus=1 'works only with pmu-lie-factor'
    refuses pmu-wrap-bits=0 'pmu-wrap-bits is 1 to 48'
    daily refuses pmu-inject=fire \
        'is one of smi, nmi, thermal, clock, limit, machine-check, mc, mc-fatal, mc-action,'
    refuses pmu-inject-times=0 'pmu-inject-times is 1 or more'
    refuses pmu-inject-times=2 'needs pmu-inject-every'
    daily refuses pmu-uncore=odd \
        'is one of off, stuck, silent, left-running, frozen, runs, no-enable and locked'
    refuses pmu-chas=29 'pmu-chas is 0 to 28'
    refuses "a ninth package" 'sockets is 1 to 8' -smp 9,sockets=9,cores=1
    refuses "a ninth package's UBox" 'package is 0 to 7' -device pmu-ubox,package=8
    refuses "a ninth package's channel" 'package is 0 to 7' -device pmu-imc,package=8
    versions
    each_cpu
    machines
    zens
    amd_lies
    lies
    outside_cores
    two_packages
    by_instructions
    daily dump
}
