# SPDX-License-Identifier: BSD-2-Clause
"""A second decoder of CPUID leaves and MSRs, which shares no code with the program.

Sources: Intel SDM (vol. 2A "CPUID", vol. 3A "Hierarchical Mapping of CPUID Extended Topology Leaf",
vol. 3B "Performance Monitoring") and AMD APM (vol. 3, appendix E). Most functions return None if
the machine's file lacks a leaf or an MSR that they need.
"""
import cores

ZERO = (0, 0, 0, 0)
EAX, EBX, ECX, EDX = range(4)
ZEN_FAMILIES = {"AuthenticAMD": (0x17, 0x19, 0x1a), "HygonGenuine": (0x18,)}
VENDORS = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD", "HygonGenuine": "Hygon"}
# The leaves that list caches. A missing last sub-leaf is read as 0, since some collectors stop at
# the last cache.
LISTS = (0x4, 0x8000001d)

# Feature -> leaf, register and bit; the sub-leaf is 0.
FEATURES = {
    "monitor": (0x1, ECX, 3), "eist": (0x1, ECX, 7), "pdcm": (0x1, ECX, 15),
    "xsave": (0x1, ECX, 26), "hypervisor": (0x1, ECX, 31), "msr": (0x1, EDX, 5),
    "apic": (0x1, EDX, 9), "mca": (0x1, EDX, 14), "ds": (0x1, EDX, 21),
    "thermal": (0x6, EAX, 0), "turbo": (0x6, EAX, 1), "package_thermal": (0x6, EAX, 6),
    "hwp": (0x6, EAX, 7), "aperf": (0x6, ECX, 0), "hybrid": (0x7, EDX, 15),
    "tsc_const": (0x80000007, EDX, 8), "amd_boost": (0x80000007, EDX, 9),
    "amd_prefetch": (0x80000021, EAX, 13), "amd_core": (0x80000001, ECX, 23),
}
X2APIC = (0x1, ECX, 21)
RTM_ALWAYS_ABORT, TSX_FORCE_ABORT = (0x7, EDX, 11), (0x7, EDX, 13)

# Instruction-set extension -> leaf, sub-leaf, register and bit. Extensions in VECTORS also need
# state components of XCR0.
INSTRUCTIONS = {
    "sse3": (0x1, 0, ECX, 0), "pclmulqdq": (0x1, 0, ECX, 1), "ssse3": (0x1, 0, ECX, 9),
    "fma": (0x1, 0, ECX, 12), "cx16": (0x1, 0, ECX, 13), "sse4_1": (0x1, 0, ECX, 19),
    "sse4_2": (0x1, 0, ECX, 20), "movbe": (0x1, 0, ECX, 22), "popcnt": (0x1, 0, ECX, 23),
    "aes": (0x1, 0, ECX, 25), "avx": (0x1, 0, ECX, 28), "f16c": (0x1, 0, ECX, 29),
    "rdrand": (0x1, 0, ECX, 30), "bmi1": (0x7, 0, EBX, 3), "avx2": (0x7, 0, EBX, 5),
    "bmi2": (0x7, 0, EBX, 8), "avx512f": (0x7, 0, EBX, 16), "avx512dq": (0x7, 0, EBX, 17),
    "rdseed": (0x7, 0, EBX, 18), "adx": (0x7, 0, EBX, 19), "avx512_ifma": (0x7, 0, EBX, 21),
    "clflushopt": (0x7, 0, EBX, 23), "clwb": (0x7, 0, EBX, 24), "avx512cd": (0x7, 0, EBX, 28),
    "sha": (0x7, 0, EBX, 29), "avx512bw": (0x7, 0, EBX, 30), "avx512vl": (0x7, 0, EBX, 31),
    "avx512_vbmi": (0x7, 0, ECX, 1), "avx512_vbmi2": (0x7, 0, ECX, 6), "gfni": (0x7, 0, ECX, 8),
    "vaes": (0x7, 0, ECX, 9), "vpclmulqdq": (0x7, 0, ECX, 10), "avx512_vnni": (0x7, 0, ECX, 11),
    "avx512_bitalg": (0x7, 0, ECX, 12), "avx512_vpopcntdq": (0x7, 0, ECX, 14),
    "rdpid": (0x7, 0, ECX, 22), "movdiri": (0x7, 0, ECX, 27), "movdir64b": (0x7, 0, ECX, 28),
    "serialize": (0x7, 0, EDX, 14), "avx_vnni": (0x7, 1, EAX, 4),
    "lzcnt": (0x80000001, 0, ECX, 5), "prefetchw": (0x80000001, 0, ECX, 8),
    "rdtscp": (0x80000001, 0, EDX, 27),
}
XCR0_OF_YMM, XCR0_OF_ZMM = {0, 1, 2}, {0, 1, 2, 5, 6, 7}
VECTORS = {name: XCR0_OF_ZMM if name.startswith("avx512") else XCR0_OF_YMM
           for name in INSTRUCTIONS if name.startswith("avx")} | dict.fromkeys(
               ("fma", "f16c", "vaes", "vpclmulqdq"), XCR0_OF_YMM)
XSAVE = FEATURES["xsave"]


def bits(value, high, low):
    return value >> low & (1 << high - low + 1) - 1


class Cpu:
    def __init__(self, file, number):
        self.file, self.number = file, number
        first = self._in_file(0, 0)
        words = b"".join(first[reg].to_bytes(4, "little") for reg in (EBX, EDX, ECX))
        self.vendor_id = words.decode("ascii", "replace").rstrip("\0")
        self.is_intel = self.vendor_id == "GenuineIntel"
        self.is_amd = self.vendor_id in ZEN_FAMILIES
        eax = self.leaf(1)[EAX]
        base, self.stepping, self.signature = bits(eax, 11, 8), bits(eax, 3, 0), eax
        self.family = base + (bits(eax, 27, 20) if base == 15 else 0)
        self.model = bits(eax, 7, 4) | (bits(eax, 19, 16) << 4 if base in (6, 15) else 0)

    def _in_file(self, leaf, subleaf):
        own = self.file.cpus[self.number].leaves
        if (leaf, subleaf) in own:
            return own[leaf, subleaf] or ZERO
        first = next(iter(self.file.cpus.values())).leaves
        return (first[leaf, subleaf] or ZERO) if (leaf, subleaf) in first else None

    def leaf(self, leaf, subleaf=0):
        """The registers; all 0 if the CPU has no such leaf; None if the file lacks the leaf."""
        top = self._in_file(leaf & 0x80000000, 0)
        if top is None:
            return None
        if not leaf <= top[EAX] or bits(top[EAX] ^ leaf, 31, 31):
            return ZERO
        found = self._in_file(leaf, subleaf)
        if found is None and subleaf > 0 and leaf in LISTS and self._in_file(leaf, subleaf - 1):
            return ZERO
        return found

    def bit(self, leaf, register, number):
        found = self.leaf(leaf)
        return None if found is None else bool(found[register] >> number & 1)

    def msr(self, number):
        """The value, or None if reading the MSR faulted or the file lacks it."""
        own, first = self.file.cpus[self.number], next(iter(self.file.cpus.values()))
        if ("msr", number) in own.uncore:
            return own.uncore["msr", number]
        return own.msrs[number] if number in own.msrs else first.msrs.get(number)

    @property
    def intel6(self):
        return self.model if self.is_intel and self.family == 6 else None


def identity(cpu):
    vendor = VENDORS.get(cpu.vendor_id, cpu.vendor_id)  # some names contain spaces: "Geode by NSC"
    return [*vendor.split(" "), str(cpu.family), str(cpu.model), str(cpu.stepping),
            f"{cpu.signature:x}"]


def _levels(cpu, leaf):
    """(type, shift, x2APIC ID) of each level of leaf 0BH, 1FH or 80000026H, or None.

    A list without an end is accepted if it has two levels, because some collectors stop there.
    """
    found = []
    while True:
        regs = cpu.leaf(leaf, len(found))
        if regs is None:
            return found if len(found) >= 2 else None
        if bits(regs[ECX], 15, 8) == 0:
            return found
        found.append((bits(regs[ECX], 15, 8), bits(regs[EAX], 4, 0), regs[EDX]))


def _log2(count):
    return max(count - 1, 0).bit_length()


def _without_levels(cpu):
    """For CPUs without leaf 0BH: (shift from APIC ID to core ID, shift from APIC ID to package ID).

    None if the file lacks a leaf.
    """
    one, four = cpu.leaf(1), cpu.leaf(4)
    if not one[EDX] >> 28 & 1:
        return 0, 0
    all_ids = _log2(bits(one[EBX], 23, 16))
    if cpu.is_intel:
        return None if four is None else (max(all_ids - _log2(bits(four[EAX], 31, 26) + 1), 0),
                                          all_ids)
    sizes, extended = cpu.leaf(0x80000008), cpu.leaf(0x80000001)
    if sizes is None or extended is None:
        return None
    threads = 0
    if cpu.family >= 0x17 and extended[ECX] >> 22 & 1:
        node = cpu.leaf(0x8000001e)
        if node is None:
            return None
        threads = _log2(bits(node[EBX], 15, 8) + 1)
    return threads, bits(sizes[ECX], 15, 12) or all_ids


def _parts_of_id(cpu):
    """(x2APIC ID, its shift to the core ID, its shift to the package ID).

    None if the file lacks a leaf.
    """
    levels = None
    for leaf in (0x1f, 0xb):
        regs = cpu.leaf(leaf)
        if regs is None and not cpu.bit(*X2APIC):
            regs = ZERO  # CPUs without x2APIC return 0, and old collectors did not read the leaf
        if regs is None:
            return None
        if regs[EBX]:
            levels = _levels(cpu, leaf)
            if levels is None:
                return None
            break
    if levels:
        apic_id = levels[0][2]
        smt = next((shift for kind, shift, _ in levels if kind == 1), 0)
        package = levels[-1][1]
    else:
        shifts = _without_levels(cpu)
        if shifts is None:
            return None
        apic_id, (smt, package) = bits(cpu.leaf(1)[EBX], 31, 24), shifts
    return apic_id, smt, package


def topology(cpu):
    """[x2APIC ID, package, core, thread]"""
    parts = _parts_of_id(cpu)
    if parts is None:
        return None
    apic_id, smt, package = parts
    return [str(value) for value in (apic_id, apic_id >> package, apic_id % (1 << package) >> smt,
                                     apic_id % (1 << smt))]


def l3(cpu):
    """The lowest APIC ID of the CPUs that share the L3 (CPUID.8000001DH); None if unknown."""
    parts, extensions = _parts_of_id(cpu), cpu.bit(0x80000001, ECX, 22)
    if parts is None or not extensions:
        return None
    for number in range(8):
        regs = cpu.leaf(0x8000001d, number) or ZERO
        if bits(regs[EAX], 7, 5) == 3:
            ids = 1 << _log2(bits(regs[EAX], 25, 14) + 1)
            return parts[0] // ids * ids
    return None


def complex_and_die(cpu):
    """[core complex, die], numbered within the package; "-" if CPUID gives no number.

    AMD APM vol. 3, E.4.17 and E.4.22. On the first Zen, a die is a node of 8000001EH.
    """
    if cpu.family not in ZEN_FAMILIES.get(cpu.vendor_id, ()):
        return ["-", "-"]
    parts, levels = _parts_of_id(cpu), _levels(cpu, 0x80000026)
    if parts is None or levels is None:
        return None
    in_package, shifts = parts[0] % (1 << parts[2]), {kind: shift for kind, shift, _ in levels}
    if levels:
        return [str(in_package >> shifts[kind]) if kind in shifts else "-" for kind in (2, 3)]
    node, found = cpu.leaf(0x8000001e), ["-", "-"]
    if not cpu.bit(0x80000001, ECX, 22):  # no topology extensions, so neither leaf exists
        return found
    for regs in filter(None, (cpu.leaf(0x8000001d, number) for number in range(8))):
        if bits(regs[EAX], 7, 5) == 3:
            found[0] = str(in_package >> _log2(bits(regs[EAX], 25, 14) + 1))
    if cores.core(cpu) == "Zen" and node is not None:
        found[1] = str(bits(node[ECX], 7, 0) % (bits(node[ECX], 10, 8) + 1))
    return found


def extended(cpu, subleaf):
    """A sub-leaf of CPUID.23H; all 0 if sub-leaf 0 does not list it or CPUID.7.1:EAX[8] is 0."""
    seven = cpu.leaf(7)
    if seven is None or not seven[EAX]:
        return seven and ZERO
    flags, main = cpu.leaf(7, 1), cpu.leaf(0x23)
    if flags is None or not flags[EAX] >> 8 & 1:
        return flags and ZERO
    if main is None or subleaf == 0:
        return main
    return cpu.leaf(0x23, subleaf) if main[EAX] >> subleaf & 1 else ZERO


def _of_amd(cpu):
    """The counters of a Zen, in the form that counters() returns.

    PerfMonV2 reports the number of counters, but RDPMC reads at most six. A CPU without
    PerfMonV2 has six counters if it has PerfCtrExtCore, and four if not.
    """
    monitor, six = cpu.leaf(0x80000022), cpu.bit(0x80000001, ECX, 23)
    if monitor is None or six is None:
        return None
    version = 1 + (six and bits(monitor[EAX], 0, 0))
    count = min(bits(monitor[EBX], 3, 0), 6) if version == 2 else 6 if six else 4
    return [str(version), f"0x{(1 << count) - 1:x}", "48", "0x0", "0"]


def counters(cpu):
    """[version, bitmap of general counters, their width, bitmap of fixed counters, their width]"""
    regs, true_view = cpu.leaf(0xa), extended(cpu, 1)
    if cpu.family in ZEN_FAMILIES.get(cpu.vendor_id, ()):
        return _of_amd(cpu)
    if not cpu.is_intel:
        return ["0", "0x0", "0", "0x0", "0"]
    if regs is None or true_view is None:
        return None
    version = bits(regs[EAX], 7, 0)
    if version == 0:
        return ["0", "0x0", "0", "0x0", "0"]
    general, width = (1 << bits(regs[EAX], 15, 8)) - 1, bits(regs[EAX], 23, 16)
    fixed, fixed_width = 0, 0
    if version >= 2:
        contiguous, fixed_width = bits(regs[EDX], 4, 0), bits(regs[EDX], 12, 5)
        virtual = cpu.bit(*FEATURES["hypervisor"])
        if version < 5 and not virtual:
            contiguous = max(contiguous, 3)
        fixed = (1 << contiguous) - 1 | (regs[ECX] if version >= 5 else 0)
        fixed_width = fixed_width or width
    if cpu.intel6 in cores.P_CORES_ARE_SHORT and kind(cpu) == ["core"]:
        general, fixed = 0xff, 0xf
    if true_view[EAX]:
        general, fixed = true_view[EAX], true_view[EBX]
    return [str(version), f"0x{general & cores.GENERAL_USED:x}", str(width),
            f"0x{fixed & cores.FIXED_USED:x}", str(fixed_width)]


def features(cpu):
    found = {name: cpu.bit(*place) for name, place in FEATURES.items()}
    main = extended(cpu, 0) if cpu.is_intel and (cpu.leaf(0xa) or ZERO)[EAX] & 0xff else ZERO
    if main is None:
        return None
    found |= {"umask2": main[EBX] & 1, "eq": main[EBX] & 2, "acr": main[EAX] & 4,
              "arch_pebs": main[EAX] & 0x30 == 0x30}
    found["hybrid"] = found["hybrid"] or cpu.bit(0x80000026, EAX, 30)
    found["tsx_abort"] = cpu.bit(*TSX_FORCE_ABORT) and not cpu.bit(*RTM_ALWAYS_ABORT)
    return None if None in found.values() else sorted(name for name in found if found[name])


def instructions(cpu):
    states = cpu.leaf(0xd)
    top = cpu.leaf(7)
    if states is None or top is None:
        return None
    possible = {bit for bit in range(32) if states[EAX] >> bit & 1} if cpu.bit(*XSAVE) else set()
    names = []
    for name, (leaf, subleaf, register, bit) in INSTRUCTIONS.items():
        regs = cpu.leaf(leaf, subleaf) if subleaf <= top[EAX] else ZERO
        if regs is None:
            return None
        if regs[register] >> bit & 1 and VECTORS.get(name, set()) <= possible:
            names.append(name)
    return sorted(names)


def caches(cpu):
    """["L1d:32", ...] in KiB"""
    if cpu.is_intel:
        leaf = 0x4
    elif not cpu.is_amd:
        return []
    else:
        extended = cpu.leaf(0x80000001)
        if extended is None:
            return None
        if not extended[ECX] >> 22 & 1:
            return []
        leaf = 0x8000001d
    found = []
    while (regs := cpu.leaf(leaf, len(found))) and bits(regs[EAX], 4, 0) in (1, 2, 3):
        size = (bits(regs[EBX], 31, 22) + 1) * (bits(regs[EBX], 21, 12) + 1) * (
            bits(regs[EBX], 11, 0) + 1) * (regs[ECX] + 1)
        found.append(f"L{bits(regs[EAX], 7, 5)}{'dcu'[bits(regs[EAX], 4, 0) - 1]}:{size // 1024}")
    return None if regs is None else found


def _kind_of_amd(cpu):
    """AMD APM vol. 3, E.4.22: EAX bit 30 is HeterogeneousCores, EBX bits 31:28 the core type."""
    regs = cpu.leaf(0x80000026)
    if regs is None:
        return None
    return [{0: "performance", 1: "efficiency"}.get(bits(regs[EBX], 31, 28), "-")
            if regs[EAX] >> 30 & 1 else "-"]


def name(cpu):
    """The name of an AMD CPU's core, with "_" for spaces; "-" if unknown, and for other vendors."""
    own = _kind_of_amd(cpu)
    if not cpu.is_amd or own is None:
        return own and ["-"]
    found = cores.core(cpu).split(" + ")
    if own != ["-"]:
        found = found[own == ["efficiency"]:][:1]
    return [" or ".join(found).replace(" ", "_") or "-"]


def kind(cpu):
    """On hybrids: "core" or "atom" (Intel), "performance" or "efficiency" (AMD). Otherwise "-"."""
    if cpu.is_amd:
        return _kind_of_amd(cpu)
    hybrid, regs = cpu.bit(*FEATURES["hybrid"]), cpu.leaf(0x1a)
    if hybrid is None or hybrid and regs is None:
        return None
    return [{0x20: "atom", 0x40: "core"}.get(bits(regs[EAX], 31, 24), "-") if hybrid else "-"]


def _of_p0(cpu):
    """The frequency of AMD's P-state 0 in Hz, if the TSC runs at this frequency.

    Sources: PPRs, MSRC001_0015[24] (TscFreqSel) and MSRC001_0064. Returns 0 if the TSC has another
    frequency, if a register is missing, if P-state 0 is not enabled, or if its ratio is reserved.
    """
    hwcr, p0 = cpu.msr(0xc0010015) or 0, cpu.msr(0xc0010064) or 0
    if not hwcr >> 24 & 1 or not p0 >> 63:
        return 0
    if cpu.family == 0x1a:
        fid, divisor, step = bits(p0, 11, 0), 1, 5
    else:
        fid, divisor, step = bits(p0, 7, 0), bits(p0, 13, 8), 200
        if divisor not in {*range(0x8, 0x1b), *range(0x1c, 0x2d, 2)}:
            return 0
    return fid * step * 1000000 // divisor if fid > 0xf else 0


def clock(cpu):
    """[TSC frequency in Hz, source]; None if the file lacks leaf 15H or 16H, or MSR CEH."""
    fifteen, sixteen = cpu.leaf(0x15), cpu.leaf(0x16)
    if fifteen is None or sixteen is None:
        return None
    denominator, numerator, crystal, _ = fifteen
    if numerator and denominator:
        crystal = crystal or (24000000 if cpu.intel6 in cores.CRYSTAL_OF_24_MHZ else 0)
        if crystal:
            return [str(crystal * numerator // denominator), "CPUID.15H"]
    if cpu.is_intel and cpu.intel6 not in cores.NO_PLATFORM_INFO:
        info = cpu.msr(0xce)
        if info is None and 0xce not in next(iter(cpu.file.cpus.values())).msrs:
            return None
        if info and bits(info, 15, 8):
            bus = 133333333 if cpu.intel6 in cores.BUS_OF_133_MHZ else 100000000
            return [str(bus * bits(info, 15, 8)), "MSR_PLATFORM_INFO"]
    if hz := cpu.family in ZEN_FAMILIES.get(cpu.vendor_id, ()) and _of_p0(cpu):
        return [str(hz), "PStateDef0"]
    if base := bits(sixteen[EAX], 15, 0):
        return [str(base * 1000000), "CPUID.16H"]
    return ["2000000000", "-"]


def table(cpu):
    return [cores.table(cpu)]


def retired(cpu):
    """The selects of retired [taken branches, loads, stores]; "-" if there is no event.

    On AMD, the selects of all built-in events.
    """
    found = counters(cpu)
    if found is None:
        return None
    if cpu.is_amd:
        return cores.amd_selects(cpu) if int(found[1], 16) else ["-"] * 10
    return cores.retired(cpu) if int(found[1], 16) else ["-"] * 3


def errata(cpu):
    found = {}
    for models, code, where, condition, names in cores.ERRATA:
        if cpu.intel6 not in models:
            continue
        if condition == "Crestmont" and cores.core_of_type(cpu) != "Crestmont":
            continue
        if condition == "threads" and not _has_threads(cpu):
            continue
        if condition == "mispredictions absent" and not (
                (cpu.leaf(0xa) or ZERO)[EBX] >> 6 & 1):
            continue
        found[code, where] = names
    for family, models, name in cores.AMD_ERRATA if cpu.is_amd else ():
        if cpu.family == family and cpu.model in models:
            found.update({(code, "general"): name for code in ("c0", "c4", "c5")})
    return found


def _has_threads(cpu):
    return any(kind == 1 and shift for kind, shift, _ in _levels(cpu, 0xb))


def prefetch(cpu):
    """The bits of MSR 1A4H that switch prefetchers off; None if the file lacks the MSR."""
    if not cpu.is_intel or cpu.msr(0x1a4) is None:
        return None
    return cores.prefetch_bits(cpu)


FACTS = {"cpu": identity, "topology": topology, "complex": complex_and_die, "pmu": counters,
         "features": features, "kernel_features": instructions, "caches": caches, "type": kind,
         "name": name, "clock": clock, "table": table, "retired": retired}
