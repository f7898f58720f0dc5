# SPDX-License-Identifier: BSD-2-Clause
"""Let the model machine imitate the machine of a machine file (docs/machine-file.md)."""
import collections
import pathlib
import sys

import machine_file
import plural

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(TOP / "tests/cpus"))
import decoder  # noqa: E402

QEMU_CPU = "qemu64"  # the machine file replaces all its features
TYPES = {0x20: "on E-cores", 0x40: "on P-cores"}  # CPUID.1AH:EAX[31:24]
LONG_MODE = 29  # bit of CPUID.80000001H:EDX
NEEDED = (0x0, 0x1, 0x80000000, 0x80000001)  # CPUID leaves


class Refused(Exception):
    """The model machine cannot imitate this machine."""


def _read(path):
    if "," in str(path.resolve()):
        raise Refused(f"{path}: QEMU cannot read a file whose path has a comma; copy it elsewhere")
    try:
        text = path.read_text("utf-8")
        file = machine_file.read_loose(text)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Refused(f"{path}: {error}") from None
    if machine_file.FIRST.match(text) and not machine_file.END.search(text):
        raise Refused(f"{path}: its last line, `end`, is missing: the file was cut off")
    if file.wrong:
        raise Refused(f"{path}: {file.wrong[0]}")
    if not file.cpus:
        raise Refused(f"{path} has no section `cpu 0`: expected a machine file "
                      "(docs/machine-file.md)")
    number = next(iter(file.cpus))
    missing = [f"{leaf:X}H" for leaf in NEEDED if not file.leaf(number, leaf)]
    if missing:
        raise Refused(f"{path}: CPU {number} has no CPUID leaf {' or '.join(missing)}")
    first = decoder.Cpu(file, number)
    is_zen = first.family in decoder.ZEN_FAMILIES.get(first.vendor_id, ())
    if not first.is_intel and not is_zen:
        raise Refused(f"{path}: the CPU is of {first.vendor_id}, family {first.family}, and the "
                      "model machine has only the PMUs of Intel and of AMD's Zens")
    if not is_zen and not (first.leaf(0xa) or (0,))[0] & 0xff:
        raise Refused(f"{path}: the CPU has no PMU (CPUID.0AH: version 0)")
    if not first.leaf(0x80000001)[3] >> LONG_MODE & 1:
        raise Refused(f"{path}: the CPU has no 64-bit mode")
    return file, first


def _caches(file, number):
    levels = (file.leaf(number, 4, subleaf) for subleaf in range(8))
    return tuple(leaf[1:3] for leaf in levels if leaf and leaf[0] & 31)


def _kinds(file):
    """Return {(CPUID.1AH:EAX, caches): numbers of the CPUs}, in the file's order."""
    kinds = {}
    for number in file.cpus:
        leaf = file.leaf(number, 0x1a)
        kinds.setdefault((leaf[0] if leaf else 0, _caches(file, number)), []).append(number)
    return kinds


def _shares(kinds, count):
    """Divide the CPUs among the kinds of cores as equally as possible."""
    if count < len(kinds):
        raise Refused(f"this machine has {len(kinds)} kinds of cores, so it needs at least "
                      f"{len(kinds)} CPUs (CPUS={len(kinds)})")
    return [count // len(kinds) + (index < count % len(kinds)) for index in range(len(kinds))]


def _threads(file, number):
    leaf = file.leaf(number, 0xb)
    return max(1, leaf[1] & 0xffff) if leaf else 1


def _places(file, kinds, shares):
    """Return [(core, thread, number of the CPU in the file)]."""
    places, core = [], 0
    for numbers, share in zip(kinds.values(), shares):
        threads = _threads(file, numbers[0])
        places += [(core + index // threads, index % threads, numbers[min(index, len(numbers) - 1)])
                   for index in range(share)]
        core = places[-1][0] + 1
    return places


def _counted(kinds, shares):
    counts = collections.Counter()
    for (kind, _), share in zip(kinds, shares):
        counts[kind] += share
    return ", ".join(plural.counted(count, "CPU") +
                     (f" {TYPES[kind >> 24]} (native model ID {kind & 0xffffff})"
                      if kind >> 24 in TYPES else "") for kind, count in counts.items())


def imitation(path, count, more_props=""):
    """Return (line about the CPUs, arguments for qemu.Spec, model number).

    The model number is None if the CPUs are not of Intel's family 6.
    """
    file, first = _read(path)
    kinds = _kinds(file)
    shares = _shares(kinds, count)
    places = _places(file, kinds, shares)
    cores = places[-1][0] + 1
    threads = max(thread for _, thread, _ in places) + 1
    props = f"pmu-machine={path.resolve()}"
    rate = decoder.clock(first)
    if rate and rate[1] != "-":
        props += f",pmu-tsc-khz={int(rate[0]) // 1000}"
    props += f",{more_props}" if more_props else ""
    more = [word for core, thread, number in places[1:] if len(kinds) > 1 for word in (
        "-device", f"{QEMU_CPU}-x86_64-cpu,pmu=on,{props},pmu-machine-cpu={number},socket-id=0,"
                   f"die-id=0,core-id={core},thread-id={thread}")]
    return (
        f"{file.brand() or path.name}, family {first.family}, model {first.model}; "
        f"{_counted(kinds, shares)}, like the {len(file.cpus)} CPUs in {path}",
        {"cpu": QEMU_CPU, "props": f"{props},pmu-machine-cpu={places[0][2]}", "more": tuple(more),
         "cpus": f"{1 if len(kinds) > 1 else len(places)},maxcpus={cores * threads},sockets=1,"
                 f"cores={cores},threads={threads}"},
        first.intel6)
