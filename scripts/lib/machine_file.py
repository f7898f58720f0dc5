# SPDX-License-Identifier: BSD-2-Clause
"""Read machine.txt, a description of a machine (docs/machine-file.md)."""
import dataclasses
import re
import zlib

VERSION = 1
FIRST = re.compile(r"barecount machine file (\d+)")
END = re.compile(r"^end ([0-9a-f]{8})\n\Z", re.M)
SECTION = re.compile(r"(memory|pci)|(cpu|msrs|uncore) (\d{1,9})|"
                     r"acpi (\S+) (\d{1,9}) (\d{1,9})", re.A)
FACTS = ("program", "cpus", "tsc", "tsc_measured", "emulated", "hypervisor", "firmware", "machine")
LOST = re.compile(r"lost (\d+)", re.A)
WHOLE_TABLES = ("APIC", "MCFG", "SRAT")
# ACPI specification, "Multiple APIC Description Table (MADT)": the offset of the first entry, and
# {type: offset of the flags} for a local APIC (type 0) and a local x2APIC (type 9). Bit 0 of the
# flags means that the CPU is enabled.
MADT_ENTRIES, MADT_FLAGS = 44, {0: 4, 9: 8}
ENABLED = [bytes([flags]) for flags in range(1, 256, 2)]
LINES = {
    "memory": re.compile(r"([0-9a-f]+) ([0-9a-f]+) (\w+) ([0-9a-f]+)"),
    "pci": re.compile(r"([0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) "
                      r"([0-9a-f]{4}:[0-9a-f]{4}) ([0-9a-f]{6})"),
    "acpi": re.compile(r"([0-9a-f]+) ((?:[0-9a-f]{2}){1,32})"),
    "cpu": re.compile(r"([0-9a-f]+) ([0-9a-f]+) (?:(absent)|" + " ".join(["([0-9a-f]+)"] * 4)
                      + ")"),
    "msrs": re.compile(r"([0-9a-f]+) (fault|[0-9a-f]+)"),
    "uncore": re.compile(r"(msr|pci|mmio) ([0-9a-f]+) ([48]) (fault|[0-9a-f]+)"),
}
# The following MSRs, CPUID leaf and forms of text identify one machine.
SERIAL_MSRS = {0x4e: "IA32_PPIN_CTL", 0x4f: "IA32_PPIN", 0xc00102f0: "PPIN_CTL",
               0xc00102f1: "PPIN"}
SERIAL_LEAF = 3
SERIAL_FORMS = {
    "a UUID": re.compile(r"\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b"),
    "a MAC address": re.compile(r"\b[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}\b"),
}


class NotOne(ValueError):
    """The text is not a machine file, or its version is unknown."""


@dataclasses.dataclass
class Cpu:
    sections: set = dataclasses.field(default_factory=set)
    # (leaf, subleaf) -> registers; None if the CPU lacks the leaf
    leaves: dict = dataclasses.field(default_factory=dict)
    msrs: dict = dataclasses.field(default_factory=dict)  # number -> value; None for a fault
    uncore: dict = dataclasses.field(default_factory=dict)  # (space, address) -> value or None


@dataclasses.dataclass
class MachineFile:
    facts: dict = dataclasses.field(default_factory=dict)  # "firmware vendor" -> its words
    memory: list = dataclasses.field(default_factory=list)  # (start, end, type, attribute)
    pci: list = dataclasses.field(default_factory=list)  # (place, ids, class)
    acpi: dict = dataclasses.field(default_factory=dict)  # name -> (size, revision, contents)
    cpus: dict = dataclasses.field(default_factory=dict)
    wrong: list = dataclasses.field(default_factory=list)

    def leaf(self, number, leaf, subleaf=0):
        """A CPU's registers for a leaf; None if the CPU lacks the leaf.

        For CPUs other than the first, the file lists only the leaves that differ from the first
        CPU's.
        """
        own = self.cpus[number].leaves
        if (leaf, subleaf) in own:
            return own[leaf, subleaf]
        return next(iter(self.cpus.values())).leaves.get((leaf, subleaf))

    def brand(self):
        words = [self.leaf(next(iter(self.cpus)), leaf) for leaf in
                 range(0x80000002, 0x80000005)] if self.cpus else []
        raw = b"".join(register.to_bytes(4, "little") for regs in words if regs
                       for register in regs)
        return " ".join(raw.split(b"\0")[0].decode("ascii", "replace").split())

    def signature(self):
        regs = self.leaf(next(iter(self.cpus)), 1) if self.cpus else None
        return regs[0] if regs else 0

    def family_model(self):
        """The display family and model (Intel SDM vol. 2A, CPUID)."""
        eax = self.signature()
        family, model = eax >> 8 & 15, eax >> 4 & 15
        if family in (6, 15):
            model |= (eax >> 16 & 15) << 4
        return (family + (eax >> 20 & 255) if family == 15 else family), model


def _value(text):
    return None if text == "fault" else int(text, 16)


def _take(found, section, number, match):
    if section == "memory":
        start, end, kind, attribute = match.groups()
        found.memory.append((int(start, 16), int(end, 16), kind, int(attribute, 16)))
    elif section == "pci":
        found.pci.append(match.groups())
    elif section == "cpu":
        leaf, subleaf, absent, *registers = match.groups()
        found.cpus[number].leaves[int(leaf, 16), int(subleaf, 16)] = None if absent else tuple(
            int(register, 16) for register in registers)
    elif section == "msrs":
        found.cpus[number].msrs[int(match[1], 16)] = _value(match[2])
    else:
        found.cpus[number].uncore[match[1], int(match[2], 16)] = _value(match[4])


def _take_bytes(found, name, match, line):
    size, revision, contents = found.acpi[name]
    if int(match[1], 16) != len(contents):
        found.wrong.append(f"line {line}: expected offset {len(contents):x} of table {name}")
    found.acpi[name] = size, revision, contents + bytes.fromhex(match[2])


def _read_lines(lines, found):
    section, number, table = None, None, None
    for line, text in enumerate(lines, 2):
        if text.startswith("#") or END.match(text + "\n"):
            continue
        if begun := SECTION.fullmatch(text):
            section = begun[1] or begun[2] or "acpi"
            if begun[3]:
                number = int(begun[3])
                found.cpus.setdefault(number, Cpu()).sections.add(section)
            if begun[4]:
                table = begun[4]
                found.acpi[table] = int(begun[5]), int(begun[6]), b""
        elif section is None and text.split(" ", 1)[0] in FACTS:
            two = text.startswith(("firmware ", "machine "))
            key, _, value = text.partition(" ")
            if two:
                word, _, value = value.partition(" ")
                key = f"{key} {word}"
            found.facts[key] = value
        elif lost := section and LOST.fullmatch(text):
            found.wrong.append(f"line {line}: barecount had no room for {lost[1]} lines here")
        elif not (match := section and LINES[section].fullmatch(text)):
            found.wrong.append(f"line {line} is not understood: {text[:60]}")
        elif section == "acpi":
            _take_bytes(found, table, match, line)
        else:
            _take(found, section, number, match)


def _check_end(text, found):
    ended = END.search(text)
    if not ended:
        found.wrong.append("its last line, `end`, is missing: the file was cut off")
    elif int(ended[1], 16) != zlib.crc32(text[:ended.start()].encode("utf-8")):
        found.wrong.append("it was changed after barecount wrote it: the checksum in its last line "
                           "is wrong")


def _promised(found):
    told = found.facts.get("cpus", "")
    table, enabled, at = found.acpi.get("APIC", (0, 0, b""))[2], 0, MADT_ENTRIES
    while at + 2 <= len(table) and table[at + 1] >= 2:
        if flags := MADT_FLAGS.get(table[at]):
            enabled += table[at + flags:at + flags + 1] in ENABLED
        at += table[at + 1]
    return max(enabled, int(told) if re.fullmatch(r"[0-9]{1,9}", told) else 0)


def _check_contents(found):
    for name, (size, _, contents) in found.acpi.items():
        if (contents or name in WHOLE_TABLES) and len(contents) != size:
            found.wrong.append(f"table {name} has {len(contents)} of its {size} bytes")
    for number, cpu in found.cpus.items():
        found.wrong += [f"CPU {number} has no section {name}" for name in ("cpu", "msrs")
                        if name not in cpu.sections]
    if len(found.cpus) < (promised := _promised(found)):
        found.wrong.append(f"it has {len(found.cpus)} of {promised} CPUs: the others were not "
                           "measured, or the run was cut off")


def read(text):
    lines = text.splitlines()
    first = FIRST.fullmatch(lines[0]) if lines else None
    if not first:
        raise NotOne("its first line is not `barecount machine file 1`")
    if int(first[1]) != VERSION:
        raise NotOne(f"it has version {first[1]}, and this script knows version {VERSION}; "
                     "a newer barecount may know it")
    found = MachineFile()
    _read_lines(lines[1:], found)
    _check_end(text, found)
    _check_contents(found)
    return found


def read_loose(text):
    """The MachineFile from any file, even if the file is incomplete or was changed."""
    found = MachineFile()
    _read_lines(text.splitlines()[1:], found)
    return found


def serials(text, found):
    named = [f"{what}: {match[0]}" for what, form in SERIAL_FORMS.items()
             for match in form.finditer(text)]
    for number, cpu in found.cpus.items():
        named += [f"MSR {msr:x}H ({SERIAL_MSRS[msr]}) of CPU {number}" for msr in cpu.msrs
                  if msr in SERIAL_MSRS]
        if any(leaf == SERIAL_LEAF and regs and any(regs) for (leaf, _), regs in
               cpu.leaves.items()):
            named.append(f"CPUID leaf {SERIAL_LEAF} of CPU {number}")
    return named
