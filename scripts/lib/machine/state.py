# SPDX-License-Identifier: BSD-2-Clause
"""Read the control state of a QEMU machine through its monitor, while the machine is paused."""
import contextlib
import re

CONFIG_ADDRESS, CONFIG_DATA = 0xcf8, 0xcfc
CONFIG_ENABLE = 1 << 31
PCI_COMMAND, PCI_CLASS = 0x04, 0x08  # offsets of the double words that contain these fields

# Control state in the output of `info registers` and `info lapic`; CR2 is not control state. TR and
# LDT have a selector, a base, a limit and flags; GDT and IDT have a base and a limit.
_CONTROL = re.compile(r"\b(CR[034]|EFER)=([0-9a-f]+)")
_TABLE = re.compile(r"^(LDT|TR|GDT|IDT) *= *([0-9a-f]+(?: [0-9a-f]+)*)", re.M)
_WHERE = re.compile(r"\b(?:RIP|CPL|HLT)=[0-9a-f]+")
_LVT = re.compile(r"^(LVT\w+|SPIV)\s+0x([0-9a-f]+)", re.M)
_TIMER = re.compile(r"^Timer\s+DCR=0x([0-9a-f]+)", re.M)
_PRIORITY = re.compile(r"\b(TPR|DFR|LDR) 0x([0-9a-f]+)")
_FUNCTION = re.compile(r"^ *Bus +(\d+), device +(\d+), function +(\d+):", re.M)
_PORT = re.compile(r"= 0x([0-9a-f]+)")


@contextlib.contextmanager
def standing_still(qmp):
    running = qmp("query-status")["running"]
    if running:
        qmp("stop")
    try:
        yield
    finally:
        if running:
            qmp("cont")


def _ask(qmp, words, cpu=0):
    return qmp("human-monitor-command", **{"command-line": words, "cpu-index": cpu})


def _numbers(pattern, text):
    return {name: int(value, 16) for name, value in pattern.findall(text)}


def where(qmp):
    with standing_still(qmp):
        told = [_ask(qmp, "info registers", cpu["cpu-index"]) for cpu in qmp("query-cpus-fast")]
    return "\n".join(f"CPU {index}: " + " ".join(_WHERE.findall(text))
                     for index, text in enumerate(told))


def registers(qmp):
    """{QEMU's index of a CPU: {name of a register: value}}.

    tests/machine/README.md lists the registers of the PMU model.
    """
    found = {}
    with standing_still(qmp):
        for cpu in qmp("query-cpus-fast"):
            index = cpu["cpu-index"]
            told = qmp("qom-get", path=cpu["qom-path"], property="pmu-registers")
            shown = _ask(qmp, "info registers", index)
            apic = _ask(qmp, "info lapic", index)
            found[index] = {
                **{name: int(value, 16) for name, value in map(str.split, told.splitlines())},
                **_numbers(_CONTROL, shown),
                **{name: tuple(int(word, 16) for word in words.split())
                   for name, words in _TABLE.findall(shown)},
                **_numbers(_LVT, apic), **_numbers(_PRIORITY, apic),
                "DCR": int(_TIMER.search(apic)[1], 16),
            }
    return found


def _read_port(qmp, words):
    return int(_PORT.search(_ask(qmp, words))[1], 16)


def _read_config(qmp, function, offset):
    bus, device, number = function
    address = CONFIG_ENABLE | bus << 16 | device << 11 | number << 8 | offset
    _ask(qmp, f"o /w {CONFIG_ADDRESS:#x} {address:#x}")
    return _read_port(qmp, f"i /w {CONFIG_DATA:#x}")


def pci_commands(qmp):
    """{(bus, device, function): (24-bit class code, command word)} of all PCI functions."""
    with standing_still(qmp):
        places = [tuple(map(int, found)) for found in _FUNCTION.findall(_ask(qmp, "info pci"))]
        # The machine may be paused between its own accesses to CONFIG_ADDRESS and CONFIG_DATA, so
        # CONFIG_ADDRESS is restored below.
        address = _read_port(qmp, f"i /w {CONFIG_ADDRESS:#x}")
        found = {place: (_read_config(qmp, place, PCI_CLASS) >> 8,
                         _read_config(qmp, place, PCI_COMMAND) & 0xffff) for place in places}
        _ask(qmp, f"o /w {CONFIG_ADDRESS:#x} {address:#x}")
    return found
