#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turn CPUID dumps of the InstLatx64 collection into files for scripts/replay.

    tests/cpus/instlat.py CLONE FOLDER && scripts/replay FOLDER

CLONE is a copy of github.com/InstLatx64/InstLatx64. Each file `*CPUID*.txt` of CLONE becomes a file
of FOLDER. If such a file contains no leaves of CPU 0, it is left out, and its name is printed.

Exit status: 0; 2 wrong usage; 4 a file cannot be read or written, or CLONE contains no dumps.
"""
import argparse
import collections
import pathlib
import re
import sys

SECTION = re.compile(r"-+\[ (?:MSR Registers|(?:\w+ Registers / )?Logical CPU #(\d+)) \]-+")
CPUID = re.compile(r"CPUID ([0-9A-F]{8})\s*:?\s*((?:[0-9A-F]{8}-){3}[0-9A-F]{8})"
                   r"(?: \[SL ([0-9A-F]+)\])?", re.I)
MSR = re.compile(r"MSR ([0-9A-F]{8}): (?:((?:[0-9A-F]{4}-){3}[0-9A-F]{4})|< FAILED >)", re.I)


def read(text):
    """The leaves and MSRs of each CPU: {cpu: {(leaf, subleaf): registers}}, {cpu: {msr: value}}.

    The oldest dumps have no sections "Logical CPU #"; in these, leaf 0 begins a new CPU.
    """
    cpus, msrs, number = collections.defaultdict(dict), collections.defaultdict(dict), 0
    has_sections = "Logical CPU #" in text
    for line in text.splitlines():
        if found := SECTION.match(line):
            number = int(found[1] or 0)
        elif found := CPUID.match(line):
            leaf = int(found[1], 16)
            number = len(cpus) if leaf == 0 and not has_sections else number
            subleaf = int(found[3] or "0", 16)
            if not found[3]:
                subleaf = sum(one == leaf for one, _ in cpus[number])
            cpus[number].setdefault((leaf, subleaf), [int(one, 16) for one in found[2].split("-")])
        elif found := MSR.match(line):
            value = found[2] and int(found[2].replace("-", ""), 16)
            msrs[number].setdefault(int(found[1], 16), value)
    return cpus, msrs


def lines_of(name, cpus, msrs):
    """The lines of a machine's file. Leaves that equal CPU 0's are listed only once."""
    yield f"# {name}: InstLatx64; {len(cpus)} logical CPUs"
    for number, leaves in sorted(cpus.items()):
        yield f"cpu {number}"
        for key, registers in leaves.items():
            if number == 0 or cpus[0].get(key) != registers:
                yield " ".join(f"{one:x}" for one in (*key, *registers))
        yield from (f"{leaf:x} {subleaf:x} absent" for leaf, subleaf in cpus[0]
                    if (leaf, subleaf) not in leaves)
    for number, values in sorted(msrs.items()):
        yield f"msrs {number}"
        yield from (f"{msr:x} {'fault' if value is None else f'{value:x}'}"
                    for msr, value in values.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=pathlib.Path, metavar="CLONE")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    try:
        dumps = sorted(arguments.clone.rglob("*CPUID*.txt"))
        if not dumps:
            raise OSError(f"{arguments.clone}: it has no *CPUID*.txt; is it a copy of InstLatx64?")
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for path in dumps:
            cpus, msrs = read(path.read_text("latin-1"))
            if not cpus.get(0):
                print(f"{path}: left out, because it has no CPUID leaves of CPU 0",
                      file=sys.stderr)
                continue
            lines = lines_of(path.stem, cpus, msrs)
            name = "_".join(path.relative_to(arguments.clone).parts)
            (arguments.folder / name).write_text("\n".join([*lines, ""]), "utf-8")
    except OSError as error:
        print(f"tests/cpus/instlat.py: {error}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
