# SPDX-License-Identifier: BSD-2-Clause
"""The names of each CPU model's cores, and facts that depend on the core. decoder.py uses them.

Sources of the models: Intel SDM vol. 4, table "CPUID Signature Values of
DisplayFamily_DisplayModel"; perfmon, mapfile.csv of 2026-08-13; AMD's revision guides and PPRs.
Nothing in this file is copied from the program's own tables.
"""

GENERAL_USED, FIXED_USED = 0x3ff, 0x7f  # the program uses no more counters than these

# For each core, or each combination of cores: the models of Intel's family 6 that have it.
CORES = {
    "Core 2": (0x0f, 0x16, 0x17, 0x1d), "Bonnell": (0x1c, 0x26), "Saltwell": (0x27, 0x35, 0x36),
    "Nehalem": (0x1a, 0x1e, 0x1f), "Nehalem-EX": (0x2e,),
    "Westmere": (0x25,), "Westmere-EP": (0x2c,), "Westmere-EX": (0x2f,),
    "Sandy Bridge": (0x2a,), "Sandy Bridge-EP": (0x2d,),
    "Ivy Bridge": (0x3a,), "Ivy Bridge-EP": (0x3e,),
    "Haswell": (0x3c, 0x45, 0x46), "Haswell-EP": (0x3f,),
    "Broadwell": (0x3d, 0x47), "Broadwell-EP": (0x4f, 0x56),
    "Silvermont": (0x37, 0x4a, 0x4d, 0x5a, 0x5d), "Airmont": (0x4c,),
    "Goldmont": (0x5c, 0x5f), "Goldmont Plus": (0x7a,),
    "Knights Landing": (0x57,), "Knights Mill": (0x85,),
    "Skylake": (0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6), "Skylake-SP": (0x55,), "Palm Cove": (0x66,),
    "Sunny Cove": (0x7d, 0x7e, 0x9d), "Sunny Cove-SP": (0x6a, 0x6c),
    "Willow Cove": (0x8c, 0x8d), "Cypress Cove": (0xa7,),
    "Sunny Cove + Tremont": (0x8a,), "Tremont": (0x86, 0x96, 0x9c),
    "Golden Cove + Gracemont": (0x97, 0x9a), "Raptor Cove + Gracemont": (0xb7, 0xba, 0xbf),
    "Gracemont": (0xbe,), "Golden Cove-SP": (0x8f,), "Raptor Cove-SP": (0xcf,),
    "Raptor Cove": (0xd7,),
    "Redwood Cove + Crestmont": (0xaa, 0xac, 0xb5), "Redwood Cove": (0xad, 0xae),
    "Crestmont": (0xaf, 0xb6), "Lion Cove + Skymont": (0xbd, 0xc6),
    "Lion Cove + Skymont, Crestmont": (0xc5,),
    "Cougar Cove + Darkmont": (0xcc, 0xd5, 0xe5), "Darkmont": (0xdd,),
}
CORE_OF = {model: core for core, models in CORES.items() for model in models}

# Hybrids whose leaf 0AH describes the efficiency cores, even on a performance core. Source: Linux,
# arch/x86/events/intel/core.c.
P_CORES_ARE_SHORT = {model for core in ("Golden Cove + Gracemont", "Raptor Cove + Gracemont")
                     for model in CORES[core]}

# Each core's event table: perfmon's file, or libpfm4's PMU if perfmon has none.
TABLE = {
    "Core 2": "core", "Bonnell": "bonnell", "Saltwell": "bonnell", "Nehalem": "nehalemep",
    "Nehalem-EX": "nehalemex", "Westmere": "westmereep-sp", "Westmere-EP": "westmereep-dp",
    "Westmere-EX": "westmereex", "Sandy Bridge": "sandybridge", "Sandy Bridge-EP": "jaketown",
    "Ivy Bridge": "ivybridge", "Ivy Bridge-EP": "ivytown", "Haswell": "haswell",
    "Haswell-EP": "haswellx", "Broadwell": "broadwell", "Broadwell-EP": "broadwellx",
    "Silvermont": "silvermont", "Airmont": "silvermont", "Goldmont": "goldmont",
    "Goldmont Plus": "goldmontplus", "Knights Landing": "knightslanding",
    "Knights Mill": "knightslanding", "Skylake": "skylake", "Skylake-SP": "skylakex",
    "Palm Cove": "skylake", "Sunny Cove": "icelake", "Sunny Cove-SP": "icelakex",
    "Willow Cove": "tigerlake", "Cypress Cove": "rocketlake", "Tremont": "elkhartlake",
    "Golden Cove": "alderlake_goldencove", "Gracemont": "alderlake_gracemont",
    "Golden Cove-SP": "sapphirerapids", "Raptor Cove": "alderlake_goldencove",
    "Raptor Cove-SP": "emeraldrapids", "Redwood Cove": "meteorlake_redwoodcove",
    "Crestmont": "meteorlake_crestmont", "Lion Cove": "arrowlake_lioncove",
    "Skymont": "arrowlake_skymont", "Cougar Cove": "pantherlake_cougarcove",
    "Darkmont": "pantherlake_darkmont",
}
# Models that do not use the table that TABLE gives for their core: model, core, table.
TABLE_OF_MODEL = {
    (0x56, "Broadwell-EP"): "broadwellde",
    (0x86, "Tremont"): "snowridgex", (0xad, "Redwood Cove"): "graniterapids",
    (0xae, "Redwood Cove"): "graniterapids", (0xaf, "Crestmont"): "sierraforest",
    (0xb6, "Crestmont"): "grandridge", (0xbd, "Lion Cove"): "lunarlake_lioncove",
    (0xbd, "Skymont"): "lunarlake_skymont", (0xc5, "Crestmont"): "arrowlake_crestmont",
    (0xdd, "Darkmont"): "clearwaterforest",
}
CASCADE_LAKE_STEPPING = 5  # the first stepping of model 55H that is Cascade Lake

# AMD's event tables: family, first model, last model, table.
AMD = (
    (0x0f, 0x00, 0x0f, "k8_revb"), (0x0f, 0x10, 0x1f, "k8_revd"), (0x0f, 0x20, 0x3f, "k8_reve"),
    (0x0f, 0x40, 0x7f, "k8_revf"), (0x0f, 0xc0, 0xcf, "k8_revf"),
    (0x10, 0, 3, "fam10h_barcelona"), (0x10, 4, 7, "fam10h_shanghai"),
    (0x10, 8, 15, "fam10h_istanbul"), (0x11, 0, 255, "fam11h_turion"),
    (0x12, 0, 255, "fam12h_llano"), (0x14, 0, 255, "fam14h_bobcat"),
    (0x15, 0, 255, "fam15h_interlagos"), (0x16, 0, 255, "fam16h"),
    (0x17, 0x00, 0x2f, "fam17h_zen1"), (0x17, 0x50, 0x5f, "fam17h_zen1"),
    (0x18, 0x00, 0xff, "fam17h_zen1"),  # Hygon's core is a Zen
    (0x17, 0x30, 0x4f, "fam17h_zen2"), (0x17, 0x60, 0xff, "fam17h_zen2"),
    (0x19, 0x00, 0x0f, "fam19h_zen3"), (0x19, 0x20, 0x5f, "fam19h_zen3"),
    (0x19, 0x10, 0x1f, "fam19h_zen4"), (0x19, 0x60, 0xaf, "fam19h_zen4"),
    (0x1a, 0x00, 0x2f, "fam1ah_zen5"), (0x1a, 0x40, 0x4f, "fam1ah_zen5"),
    (0x1a, 0x60, 0x7f, "fam1ah_zen5"),
)
ZEN = ((0x17, 0, 0x0f, "Zen"), (0x17, 0x10, 0x2f, "Zen"), (0x17, 0x50, 0x5f, "Zen"),
       (0x18, 0, 0xff, "Zen"), (0x17, 0x30, 0x4f, "Zen 2"), (0x17, 0x60, 0xff, "Zen 2"),
       (0x19, 0, 0x0f, "Zen 3"), (0x19, 0x20, 0x5f, "Zen 3"), (0x19, 0x10, 0x1f, "Zen 4"),
       (0x19, 0x60, 0x77, "Zen 4"), (0x19, 0x78, 0x7f, "Zen 4 + Zen 4c"),
       (0x19, 0xa0, 0xaf, "Zen 4c"), (0x1a, 0x00, 0x0f, "Zen 5"), (0x1a, 0x10, 0x1f, "Zen 5c"),
       (0x1a, 0x20, 0x2f, "Zen 5 + Zen 5c"), (0x1a, 0x40, 0x4f, "Zen 5"),
       (0x1a, 0x60, 0x6f, "Zen 5 + Zen 5c"), (0x1a, 0x70, 0x7f, "Zen 5"))

# Sources: SDM vol. 3B "Nominal Core Crystal Clock Frequency"; vol. 4, MSR CEH of each generation.
CRYSTAL_OF_24_MHZ = {0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6}
NO_PLATFORM_INFO = {model for core in ("Core 2", "Bonnell", "Saltwell", "Silvermont", "Airmont")
                    for model in CORES[core]}
BUS_OF_133_MHZ = {model for core in ("Nehalem", "Nehalem-EX", "Westmere", "Westmere-EP",
                                     "Westmere-EX") for model in CORES[core]}


def _models(*names):
    return {model for name in names for model in CORES[name]}


_HASWELL = _models("Haswell", "Haswell-EP")
_SANDY = _HASWELL | _models("Sandy Bridge", "Sandy Bridge-EP", "Ivy Bridge", "Ivy Bridge-EP")
_SKYLAKE = _models("Skylake", "Skylake-SP")
_ATOM_SERVERS = {0x4d, 0x5f, 0x86, 0xaf}
# Errata of Intel's CPUs: models, event, counter, condition, names of the errata. Sources: Intel's
# specification updates, and perfmon's "Errata".
ERRATA = (
    (_models("Nehalem", "Nehalem-EX"), "c5", "general", "mispredictions absent", "AAJ80"),
    (_SANDY, "81d0", "general", "threads", "BJ122, BV98, HSD29, HSM30"),
    (_HASWELL, "c0", "general", "", "HSD140, HSD143"),
    (_HASWELL, "c0", "fixed", "", "HSD140, HSD143"),
    (_SKYLAKE, "c0", "general", "", "SKL091, SKL044"),
    (_SKYLAKE, "c4", "general", "", "SKL091"),
    (_ATOM_SERVERS, "c0", "general", "", "SRF7, SRF6 and similar"),
    (_ATOM_SERVERS, "c0", "fixed", "", "SRF7, SRF6 and similar"),
    (_ATOM_SERVERS, "c4", "general", "", "SRF7, SRF6 and similar"),
    ({0xdd}, "c0", "general", "", "like SRF7"),
    ({0xdd}, "c0", "fixed", "", "like SRF7"),
    (_models("Broadwell", "Broadwell-EP"), "c0", "general", "", "BDM61"),
    (_SKYLAKE, "412e", "general", "", "SKL057"),
    (_models("Redwood Cove + Crestmont"), "c4", "general", "Crestmont", "MTL012, MTL013"),
    ({0xc5}, "c4", "general", "Crestmont", "ARL010, ARL011"),
)
# Errata of AMD's and Hygon's CPUs: family, models, erratum. Sources: AMD's revision guides 55449,
# 56323 and 56683. Hygon's cores are Zen 1.
AMD_ERRATA = (
    (0x17, range(0x00, 0x10), "990"), (0x18, range(0x100), "990"),
    (0x17, range(0x30, 0x40), "1291"), (0x19, range(0x00, 0x10), "1292"),
)


# Energy registers. Sources: Intel SDM vol. 4, tables of each generation; for cores since 2021,
# Linux's turbostat. The unit is 2^-ESU J, where ESU is MSR 606H[12:8]. There are two exceptions:
# the DRAM of SERVERS has a unit of 15.3 uJ, and SILVERMONT has a unit of 2^ESU uJ (SDM vol. 4,
# MSR_RAPL_POWER_UNIT of these cores).
PACKAGE, CORES_OF, GRAPHICS, DRAM = 0x611, 0x639, 0x641, 0x619
ENERGY = {
    (PACKAGE, CORES_OF, GRAPHICS): ("Sandy Bridge", "Ivy Bridge"),
    (PACKAGE, CORES_OF, DRAM): ("Sandy Bridge-EP", "Ivy Bridge-EP"),
    (PACKAGE, CORES_OF): ("Silvermont", "Airmont"),
    (PACKAGE, DRAM): ("Haswell-EP", "Broadwell-EP", "Skylake-SP", "Sunny Cove-SP",
                      "Knights Landing", "Knights Mill", "Golden Cove-SP", "Raptor Cove-SP",
                      "Redwood Cove", "Crestmont", "Darkmont"),
    (PACKAGE, CORES_OF, GRAPHICS, DRAM): (
        "Haswell", "Broadwell", "Skylake", "Palm Cove", "Sunny Cove", "Willow Cove",
        "Cypress Cove", "Goldmont", "Goldmont Plus", "Tremont", "Gracemont", "Raptor Cove",
        "Golden Cove + Gracemont", "Raptor Cove + Gracemont", "Redwood Cove + Crestmont",
        "Lion Cove + Skymont", "Lion Cove + Skymont, Crestmont", "Cougar Cove + Darkmont"),
}
SERVERS = ("Haswell-EP", "Broadwell-EP", "Skylake-SP", "Sunny Cove-SP", "Knights Landing",
           "Knights Mill")
SILVERMONT = ("Silvermont", "Airmont")
ONLY_PACKAGE = (0x86,)  # Snow Ridge
GOLDMONT_D = (0x5f,)  # without graphics
WITHOUT_ENERGY = (0x4a, 0x4d, 0x5a, 0x5d, 0x9d)  # unit undocumented, or in neither form above


def energy(cpu):
    """{energy register: step in 2^-32 uJ} for those registers of the core that the file contains.

    Empty if the file lacks the unit, or if the core's unit is not documented.
    """
    name, unit = core(cpu), cpu.msr(0x606)
    if not unit or cpu.intel6 is None or cpu.intel6 in WITHOUT_ENERGY:
        return {}
    registers = next((registers for registers, names in ENERGY.items() if name in names), ())
    if cpu.model in ONLY_PACKAGE:
        registers = (PACKAGE,)
    if cpu.model in GOLDMONT_D:
        registers = (PACKAGE, CORES_OF, DRAM)
    exponent, steps = unit >> 8 & 31, {}
    for register in registers:
        if cpu.msr(register) is None:
            continue
        if name in SILVERMONT:
            steps[register] = 2 ** (32 + exponent)
        elif register == DRAM and name in SERVERS:
            steps[register] = 10 ** 6 * 2 ** (32 - 16)
        else:
            steps[register] = 10 ** 6 * (2 ** 32 >> exponent)
    return steps


def core(cpu):
    if cpu.intel6 is not None:
        return CORE_OF.get(cpu.model, "")
    if cpu.is_amd:
        return next((name for family, first, last, name in ZEN
                     if cpu.family == family and first <= cpu.model <= last), "")
    return ""


def core_of_type(cpu):
    """The name of this CPU's own core; None if the CPU is a hybrid and the file lacks CPUID.1AH.

    CPUID.1AH:EAX[31:24] is the type, and EAX[23:0] the native model ID.
    """
    all_cores, regs = core(cpu).split(" + "), cpu.leaf(0x1a)
    if len(all_cores) == 1:
        return all_cores[0]
    if regs is None:
        return None
    small = all_cores[1].split(", ")
    if regs[0] >> 24 != 0x20:
        return all_cores[0]
    return small[-1] if regs[0] & 0xffffff == 2 else small[0]


def table(cpu):
    if cpu.is_amd:
        name = next((name for family, first, last, name in AMD
                     if cpu.family == family and first <= cpu.model <= last), None)
        return f"amd64_{name}.csv" if name else "-"
    core = core_of_type(cpu)
    name = TABLE_OF_MODEL.get((cpu.model, core), TABLE.get(core))
    if name == "skylakex" and cpu.stepping >= CASCADE_LAKE_STEPPING:
        name = "cascadelakex"
    return f"{name}.csv" if name else "-"


# Events of retired instructions, from perfmon's *_core.json. MEMORY leaves out cores whose events
# count the uops that load and store, not the instructions.
TAKEN = {
    "20c4": ("Sandy Bridge", "Sandy Bridge-EP", "Ivy Bridge", "Ivy Bridge-EP", "Haswell",
             "Haswell-EP", "Broadwell", "Broadwell-EP", "Skylake", "Skylake-SP", "Palm Cove",
             "Sunny Cove", "Sunny Cove-SP", "Willow Cove", "Cypress Cove", "Golden Cove",
             "Golden Cove-SP", "Raptor Cove", "Raptor Cove-SP", "Redwood Cove", "Lion Cove"),
    "c0c4": ("Gracemont", "Crestmont", "Skymont"),
    "fbc4": ("Cougar Cove", "Darkmont"),
}
MEMORY = dict.fromkeys((*TAKEN["20c4"][8:], "Cougar Cove"), ("81d0", "82d0")) | dict.fromkeys(
    ("Nehalem", "Nehalem-EX", "Westmere", "Westmere-EP", "Westmere-EX"), ("10b", "20b"))


def retired(cpu):
    """The selects of retired [taken branches, loads, stores]; "-" if there is no event.

    None if the CPU is a hybrid and the file lacks CPUID.1AH.
    """
    name = core_of_type(cpu)
    if name is None:
        return None
    taken = next((select for select, names in TAKEN.items() if name in names), "-")
    return [taken, *MEMORY.get(name, ("-", "-"))]


# Selects that differ between AMD's cores: cycles of the P0 clock (PMCx120), and fills of the L1
# data cache from every source (PMCx043 before Zen 3, PMCx044 from Zen 3 on). Sources: PPRs.
AMD_CLOCK = {"Zen 4": "100000120", "Zen 5": "100000120"}
AMD_FILLS = {"Zen": "5b43", "Zen+": "5b43", "Zen 2": "5b43", "Zen 3": "5f44", "Zen 4": "df44",
             "Zen 5": "df44"}


def amd_selects(cpu):
    """The selects of the built-in events on a Zen; "-" if the core lacks the event."""
    name = core(cpu).partition(" + ")[0].removesuffix("c")
    return ["c0", "76", AMD_CLOCK.get(name, "-"), "c2", "c4", "d1", "529", "629", "c3",
            AMD_FILLS[name]]


# The bits of MSR 1A4H that switch prefetchers off, and the cores that have these bits. Sources: SDM
# vol. 4, MSR_MISC_FEATURE_CONTROL of each generation; for efficiency cores, "Hardware Prefetch
# Controls for Intel E-Cores", section 2.1.
PREFETCHERS = {
    (0, 2): ("Goldmont", "Goldmont Plus", "Tremont"),
    (0, 1): ("Knights Landing", "Knights Mill"),
    (0, 2, 3, 4, 5): ("Gracemont",),
    (0, 1, 2, 3, 4, 5, 6, 7, 8): ("Crestmont", "Skymont"),
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 12): ("Darkmont",),
    (0, 1, 2, 3, 5): ("Golden Cove", "Raptor Cove", "Golden Cove-SP", "Raptor Cove-SP"),
    (0, 1, 2, 3, 5, 6, 7, 8): ("Redwood Cove", "Lion Cove", "Cougar Cove"),
}


def prefetch_bits(cpu):
    numbers = next((numbers for numbers, names in PREFETCHERS.items()
                    if core_of_type(cpu) in names), (0, 1, 2, 3))
    return sum(1 << number for number in numbers)
