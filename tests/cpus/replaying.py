# SPDX-License-Identifier: BSD-2-Clause
"""Run the program's code on machines' files, and compare what it finds with decoder.py's facts."""
import collections
import dataclasses
import lzma
import pathlib
import re
import subprocess
import tarfile

import machine_file

import cores
import decoder

TOP = pathlib.Path(__file__).resolve().parents[2]
REPLAY, EVENTS = TOP / "build/replay", TOP / "build/events"
PLANS = sorted((TOP / "scripts/plans").glob("*.cfg"))
DEFAULT = "default.cfg"
ARCHIVE = TOP / "tests/cpus/machines.tar.xz"
# The collector's first line: "# NAME: CPU; TSC 3693.0 MHz; 24 logical CPUs". In the file
# MEASURED_WRONG, this frequency is wrong: CPUID.15H, CPUID.16H and the manufacturer say 1,114 MHz.
MEASURED = re.compile(r"# .*; TSC ([\d.]+) MHz;")
MEASURED_WRONG = "GenuineIntel00906C0_JasperLake_CPUID03"
TSC_AGREES = 0.01
HEADINGS = ("machine", "CPU", "core", "CPUs", "PMU", "TSC", "table", "passes", "not in the file")


def files_in(place):
    if place.is_dir():
        return {str(path.relative_to(place)).removesuffix(".txt").removesuffix("/machine"): path
                for path in sorted(place.rglob("*.txt")) if is_one(path)}
    folder = TOP / "build/test/cpus"
    folder.mkdir(parents=True, exist_ok=True)
    with lzma.open(place) as packed, tarfile.open(fileobj=packed) as archive:
        archive.extractall(folder)
        names = sorted(archive.getnames())
    return {name.removesuffix(".txt"): folder / name for name in names}


def is_one(path):
    return re.search(r"^cpu \d+\n0 0 ", path.read_text("utf-8", "replace"), re.M) is not None


@dataclasses.dataclass
class Found:
    file: machine_file.MachineFile
    told: dict  # a Told; None if the program failed
    differences: list
    unknown: int  # the number of facts that the file does not determine

    @property
    def first(self):
        return next(iter(self.file.cpus))


class Failed(Exception):
    """The program failed on a file; the text is the end of its error output."""


def printed(path, plans):
    done = subprocess.run([REPLAY, path, EVENTS, *plans], text=True, capture_output=True)
    if done.returncode != 0:
        raise Failed(done.stderr.strip()[-400:])
    return done.stdout


class Told(collections.defaultdict):
    """What the program prints for a file: {what: {CPU: [values of each line]}}."""

    def __init__(self, path, plans):
        super().__init__(lambda: collections.defaultdict(list))
        for line in printed(path, plans).splitlines():
            cpu, what, *values = line.split(" ")
            self[what][int(cpu)].append(values)


def _facts(cpu, told):
    """Yield (name, value by the program, value by the decoder) for each fact."""
    for what, of_manual in decoder.FACTS.items():
        found = told[what][cpu.number][0]
        if what == "topology":
            found = found[:4]
        if what in ("features", "kernel_features"):
            found = sorted(found)
        yield what, found, of_manual(cpu)
    yield "errata", {(code, where): names.replace("_", " ") for code, where, names in
                     told["erratum"][cpu.number]}, decoder.errata(cpu)
    register, held, asked = told["prefetch"][cpu.number][0]
    if (off := decoder.prefetch(cpu)) is not None:
        yield "prefetch", asked if register == "1a4" else "-", f"{int(held, 16) | off:x}"


def _of_energy(file, told):
    """Yield differences between program and manuals in Intel's energy registers and their steps."""
    for number in told["uncore_model"]:
        cpu = decoder.Cpu(file, number)
        found = {int(register, 16): int(step) for _, register, step in told["energy"][number]
                 if int(step) > 0}
        expected = cores.energy(cpu) if not cpu.is_amd else found
        if found != expected:
            yield f"CPU {number}: energy: {found}, but by the manuals {expected}"


def _of_topology(told):
    """Yield contradictions within the topology of a machine.

    A collector may have written the same CPU twice, with the same x2APIC ID.
    """
    places = {cpu: tuple(values[0][1:4]) for cpu, values in told["topology"].items()}
    ids = {values[0][0] for values in told["topology"].values()}
    if len(set(places.values())) < len(ids):
        yield "two CPUs have the same package, core and thread"
    in_core = collections.Counter((package, core) for package, core, _ in places.values())
    for cpu, (package, core, _) in places.items():
        if int(told["topology"][cpu][0][4]) != in_core[package, core] - 1:
            yield f"CPU {cpu}: the number of siblings is wrong"


def _of_complexes(file, told):
    """Yield an error if the CPUs of a core complex are not those that share an L3."""
    caches, complexes = collections.defaultdict(set), collections.defaultdict(set)
    for number, ((name, _),) in told["complex"].items():
        cache = decoder.l3(decoder.Cpu(file, number))
        if name != "-" and cache is not None:
            place = told["topology"][number][0][1], name
            caches[place].add(cache)
            complexes[cache].add(place)
    if any(len(found) > 1 for found in (*caches.values(), *complexes.values())):
        yield "the CPUs of a complex do not share one L3"


def _of_schedule(told):
    for cpu, rows in told["event"].items():
        _, general, _, fixed, _ = told["pmu"][cpu][0]
        used, counted = set(), set()
        for plan, number, counter, event in rows:
            if (plan, number, counter) in used:
                yield f"CPU {cpu}: {counter} counts two events in pass {number} of {plan}"
            used.add((plan, number, counter))
            counted.add((plan, event))
            kind, index = re.fullmatch(r"(.*?)(\d*)", counter).groups()
            exists = {"pmc": general, "fixed": fixed}.get(kind)
            if exists and not int(exists, 16) >> int(index) & 1:
                yield f"CPU {cpu}: {counter}, which does not exist, counts {event} in {plan}"
        for plan, event, why in told["uncounted"][cpu]:
            if (plan, event) in counted:
                yield f"CPU {cpu}: {event} is counted in {plan} although {why}"


def _of_clock(path, told, first):
    with path.open(encoding="utf-8") as file:
        measured = MEASURED.match(file.readline())
    hz, source = told["clock"][first][0]
    if measured and source != "-" and path.stem != MEASURED_WRONG and not (
            abs(int(hz) / 1e6 / float(measured[1]) - 1) < TSC_AGREES):
        yield f"the time stamp has {hz} Hz, but the collector measured {measured[1]} MHz"


def compare(path, plans=PLANS):
    file = machine_file.read_loose(path.read_text("utf-8"))
    try:
        told = Told(path, plans)
    except Failed as failed:
        return Found(file, None, [f"the program's code failed: {failed}"], 0)
    if sorted(told["cpu"]) != sorted(file.cpus):
        return Found(file, told, [f"CPUs {sorted(told['cpu'])}, but the file has "
                                  f"{sorted(file.cpus)}"], 0)
    differences, unknown = [], 0
    for number in file.cpus:
        cpu = decoder.Cpu(file, number)
        for what, found, expected in _facts(cpu, told):
            if expected is None:
                unknown += 1
            elif found != expected:
                differences.append(f"CPU {number}: {what}: {found}, but by the manuals {expected}")
    differences += [*_of_topology(told), *_of_complexes(file, told), *_of_energy(file, told),
                    *_of_schedule(told), *_of_clock(path, told, next(iter(file.cpus)))]
    return Found(file, told, differences, unknown)


def _counters(told):
    kinds = sorted({tuple(values[0]) for values in told["pmu"].values()}, reverse=True)
    return ", ".join("-" if version == "0" else f"v{version} {int(general, 16).bit_count()}+"
                     f"{int(fixed, 16).bit_count()}" for version, general, _, fixed, _ in kinds)


def _counted(told, first):
    passes = {number for plan, number, *_ in told["event"][first] if plan == DEFAULT}
    return str(len(passes)) if passes else "-"


def _places(cpu, told):
    places = [values[0] for values in told["topology"].values()]
    if decoder.topology(cpu) is None:
        return f"?*?*{len(places)}"
    packages, in_cores = ({tuple(place[1:end]) for place in places} for end in (2, 3))
    return f"{len(packages)}*{len(in_cores)}*{len(places)}"


def row(name, found):
    cpu, told = decoder.Cpu(found.file, found.first), found.told
    signature = f"{cpu.family:x}/{cpu.model:x}/{cpu.stepping:x}"
    if told is None:
        return (name, signature, cores.core(cpu) or "-", *["?"] * 5, str(found.unknown))
    tables = sorted({values[0][0] for values in told["table"].values()})
    hz, source = told["clock"][found.first][0]
    return (name, signature, cores.core(cpu) or "-", _places(cpu, told), _counters(told),
            f"{int(hz) / 1e6:.1f}" if source != "-" else "?", " ".join(tables),
            _counted(told, found.first), str(found.unknown))


def as_text(rows):
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows)]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(one, widths)).rstrip() + "\n"
                   for one in (HEADINGS, *rows))
