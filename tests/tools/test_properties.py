# SPDX-License-Identifier: BSD-2-Clause
"""The properties that kernels declare: their names, events, and the kernels that tell them apart.
"""
import pathlib
import re

import documents
import kernel_file
import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
PLAN = (TOP / "scripts/plans/trust.cfg").read_text("ascii")
PROPERTIES = kernel_file.properties()
# An event that counts a sum has a unit mask with a bit for each part: bit i is FLOATS[i].
FLOATS = [name for name in PROPERTIES.values() if re.match("fp_(scalar|128|256|512)_", name)]
SUMS = {name: [FLOATS[bit] for bit in range(8) if mask >> bit & 1] for name, mask in {
    "fp_scalar": 0x03, "fp_vector": 0xfc, "fp_vector_256": 0x3c, "fp_128": 0x0c, "fp_256": 0x30,
    "fp_double": 0x15, "fp_single": 0x2a, "fp_4_flops": 0x18, "fp_8_flops": 0x60}.items()} | {
    "splits": ["split_loads", "split_stores"],
    "backward_taken": ["conditional_taken", "-forward_taken"],
    "near_jumps": ["direct_jumps", "indirect_jumps"],
    "indirect_or_return": ["indirect_branches", "near_returns"],
    "vector_128": ["vector_add_128", "vnni_128"]}
ROWS, = documents.tables(documents.section(TOP / "docs/kernels.md", "## Properties"))


def declared():
    """{kernel of the plan trust: {property or event: (kind, low c0, low c1, high c0, high c1)}}."""
    table = (TOP / "build/kernels.bin").read_bytes()
    return {kernel.name: kernel.declared | kernel.properties
            for _, kernel in kernel_file.kernels(table) if f"\n{kernel.name} n=" in PLAN}


def test_names():
    lines = (TOP / "kernels/names.inc").read_text("ascii")
    names = {int(number): name for name, number in re.findall(
        r"^%define property_(\w+) +(\d+)$", lines, re.M)}
    assert names == PROPERTIES | {max(PROPERTIES) + 1: "end"}
    assert [row[0].strip("`") for row in ROWS] == [*PROPERTIES.values(), *SUMS]
    sums = (TOP / "pmu/counters/property.h").read_text("ascii").split("#define PROPERTY_SUMS")[1]
    assert [name.lower() for name in re.findall(r"X\(\d+, (\w+),", sums)] == [*SUMS]


def test_events_of_the_plan():
    """The plan trust counts all events that the table names, in the same order."""
    lines = PLAN.split("[events properties]\n")[1].splitlines()
    assert [line.split(" = ")[1].split(", ") for line in lines] == [
        [*documents.coded(row[2]), "none"] for row in ROWS]


def counts_of(kernels, name):
    """{(kernel, n): count} of the kernels that declare an exact count."""
    if name[0] == "-":
        return {key: -count for key, count in counts_of(kernels, name[1:]).items()}
    if name in SUMS:
        parts = [counts_of(kernels, part) for part in SUMS[name]]
        return {key: sum(part[key] for part in parts) for key in set.intersection(*map(set, parts))}
    return {(kernel, n): counts[name][1] + counts[name][2] * n for kernel, counts in kernels.items()
            if counts.get(name, [0])[0] == kernel_file.EXACT for n in (100, 200, 400)}


@pytest.mark.parametrize("name", [*kernel_file.EVENTS, *PROPERTIES.values(), *SUMS])
def test_a_property_has_neighbours(name):
    """The kernels of the plan trust tell each event from all others: at least two kernels declare
    both events, and the two counts differ by more than a constant."""
    plan = (TOP / "scripts/plans/trust.cfg").read_text("ascii")
    listed = re.findall(r"^(\w+) n=100,200,400$", plan, re.M)
    kernels = {kernel: counts for kernel, counts in declared().items() if kernel in listed}
    own = counts_of(kernels, name)
    assert any(own.values())
    for other in {*kernel_file.EVENTS, *PROPERTIES.values(), *SUMS} - {name}:
        shared = {key: count - own[key] for key, count in counts_of(kernels, other).items()
                  if key in own}
        assert len({kernel for kernel, _ in shared}) > 1 and len({*shared.values()}) > 1, other


def test_properties_are_declared_in_whole():
    """Each kernel declares all properties. A kernel that does not lacks NO_OTHERS."""
    for kernel, counts in declared().items():
        assert set(PROPERTIES.values()) <= set(counts), kernel
