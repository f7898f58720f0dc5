# SPDX-License-Identifier: BSD-2-Clause
"""The CPUs of the model machine: their common names, and their PMUs."""
import dataclasses
import difflib
import re
import subprocess

SKYLAKE_SERVER = 85  # model number
UNCORE_DEVICES = tuple(word for device in (
    "pmu-ubox,addr=08.0", "pmu-capid6,addr=1e.3", "pmu-imc,addr=0a.2,channel=0",
    "pmu-imc,addr=0a.6,channel=1", "pmu-imc,addr=0c.2,channel=3") for word in ("-device", device))
LIST_WORDS = ("list", "?")  # these words request a list of all CPUs
LIST_S = 20  # for QEMU to list its models


class Unknown(Exception):
    """No CPU has this name."""


@dataclasses.dataclass(frozen=True)
class Cpu:
    """`name` is the CPU's name in QEMU 7.2 or later, and `also` lists other names.

    `pmu` is (version, general counters, fixed counters), as in tests/machine/PROPERTIES.md.
    `nearest_to` names cores that the model machine lacks, and for which this CPU is the closest
    substitute.
    """

    name: str
    model: int
    pmu: tuple
    also: tuple = ()
    nearest_to: tuple = ()
    props: str = ""  # options of -cpu that turn QEMU's CPU into this one
    family: int = 6
    base: str = ""  # QEMU's name of the CPU to change, if it differs from `name`

    @property
    def what(self):
        version, general, fixed = self.pmu
        of_amd = "PerfMonV2" if version == 2 else "without PerfMonV2"
        kind = (f"PMU version {version}: {general} counters, {fixed} fixed ones" if fixed else
                f"{of_amd}: {general} counters")
        return f"family {self.family}, model {self.model}; {kind}"


# The oldest CPUs of each vendor come first.
CPUS = (
    Cpu("Nehalem", 26, (3, 4, 3), ("nhm", "Nehalem-EP", "Bloomfield", "Gainestown")),
    Cpu("Westmere", 44, (3, 4, 3), ("wsm", "Westmere-EP", "Gulftown")),
    Cpu("SandyBridge", 42, (3, 4, 3), ("snb",), ("Sandy Bridge-EP", "jkt")),
    Cpu("IvyBridge", 58, (3, 4, 3), ("ivb",), ("Ivy Bridge-EP", "ivt")),
    Cpu("Haswell", 60, (3, 4, 3), ("hsw",), ("Haswell-EP", "Haswell server", "hsx")),
    Cpu("Broadwell", 61, (3, 4, 3), ("bdw",), ("Broadwell-EP", "Broadwell server", "bdx")),
    Cpu("Skylake-Client", 94, (4, 4, 3), ("Skylake", "skl", "Skylake-S"),
        ("Kaby Lake", "Coffee Lake", "Comet Lake", "kbl", "cfl", "cml")),
    Cpu("Skylake-Server", 85, (4, 4, 3), ("skx", "Skylake-SP", "Skylake-X", "Skylake-AVX512")),
    Cpu("Cascadelake-Server", 85, (4, 4, 3), ("Cascade Lake", "clx", "Cascade Lake-SP")),
    Cpu("Cooperlake", 85, (4, 4, 3), ("cpx", "Cooper Lake-SP")),
    # QEMU's Icelake-Server has Snow Ridge's model number by default.
    Cpu("Icelake-Server", 106, (5, 8, 4), ("Ice Lake", "icx", "Ice Lake-SP"),
        ("Ice Lake client", "Tiger Lake", "Rocket Lake", "Alder Lake", "Raptor Lake",
         "Sapphire Rapids", "Emerald Rapids", "Granite Rapids", "icl", "tgl", "rkl", "adl", "rpl",
         "spr", "emr", "gnr"), "model=106"),
    Cpu("EPYC", 1, (1, 6, 0), ("Zen", "Naples", "znver1"), family=23),
    Cpu("EPYC-Rome", 49, (1, 6, 0), ("Zen 2", "Rome", "znver2"), family=23),
    Cpu("EPYC-Milan", 1, (1, 6, 0), ("Zen 3", "Milan", "znver3"), family=25),
    # QEMU 7.2 lacks the CPUs from here on.
    Cpu("EPYC-Genoa", 17, (2, 6, 0), ("Zen 4", "Genoa", "znver4"), (), "model=17", 25,
        "EPYC-Milan"),
    Cpu("EPYC-Turin", 2, (2, 6, 0), ("Zen 5", "Turin", "znver5"), (), "family=26,model=2", 26,
        "EPYC-Milan"),
)


def plain(name):
    return re.sub("[^a-z0-9]", "", name.lower())


def of_name(name):
    """Return None if CPUS lacks the CPU. `name` may end in a version."""
    return max((cpu for cpu in CPUS if re.match(rf"{cpu.name}(-|$)", name)),
               key=lambda cpu: len(cpu.name), default=None)


def base_of(name):
    """Return QEMU's name of the CPU that is changed into CPU `name`."""
    cpu = of_name(name)
    return cpu.base or name if cpu else name


def props_of(name):
    cpu = of_name(name)
    return cpu.props if cpu else ""


def model_of(name):
    cpu = of_name(name)
    return cpu.model if cpu else None


def uncore_devices(model):
    """The devices of one package: the UBox, CAPID6 (it says which slices exist) and three memory
    channels; see tests/machine/OUTSIDE.md.
    """
    return UNCORE_DEVICES if model == SKYLAKE_SERVER else ()


def _qemu_has(qemu):
    listed = subprocess.run([qemu, "-cpu", "help"], capture_output=True, text=True, check=True,
                            timeout=LIST_S).stdout
    return re.findall(r"^x86 (\S+)", listed, re.M)


def _known(wanted):
    return next((cpu.name for cpu in CPUS if wanted in map(plain, (cpu.name, *cpu.also))), None)


def _nearest(wanted, qemu_has):
    by_plain = {plain(name): name for name in qemu_has}
    for cpu in CPUS:
        if wanted in map(plain, cpu.nearest_to):
            return f"; nearest: {cpu.name}"
        by_plain |= dict.fromkeys(map(plain, (cpu.name, *cpu.also)), cpu.name)
    close = difflib.get_close_matches(wanted, by_plain, 1)
    return f"; nearest: {by_plain[close[0]]}" if close else ""


def named(name, qemu):
    wanted = plain(name)
    if known := _known(wanted):
        return known
    qemu_has = _qemu_has(qemu)
    for model in qemu_has:
        if plain(model) == wanted:
            return model
    raise Unknown(f"CPU {name}: the machine has no CPU of this name{_nearest(wanted, qemu_has)}. "
                  f"It has\n{listed(qemu)}")


def listed(qemu):
    lines = "".join(f"  {cpu.name:<20}{cpu.what}\n" for cpu in CPUS)
    return f"{lines}  and the others that `{qemu} -cpu help` lists"


def told(name, has_pmu=True, props=""):
    cpu = of_name(name)
    what = cpu.what if cpu else "as in QEMU; tests/machine/PROPERTIES.md describes its PMU"
    what = what if has_pmu else f"{what.partition(';')[0]}; no PMU"
    return f"{name}: {what}{f'; changed by {props}' if props else ''}"
