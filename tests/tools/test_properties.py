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
    assert [row[0].strip("`") for row in ROWS] == list(PROPERTIES.values())


def test_events_of_the_plan():
    """The plan trust counts all events that the table names, in the same order."""
    lines = PLAN.split("[events properties]\n")[1].splitlines()
    assert [line.split(" = ")[1].split(", ") for line in lines] == [
        [*documents.coded(row[2]), "none"] for row in ROWS]


@pytest.mark.parametrize("name", PROPERTIES.values())
def test_a_property_has_neighbours(name):
    """Some kernel executes the property, and other kernels tell it from all that is similar."""
    kernels = declared().values()
    assert any(any(counts[name][1:]) for counts in kernels if name in counts)
    others = [other for other in (*kernel_file.EVENTS, *PROPERTIES.values()) if other != name]
    same = [other for other in others if not any(
        counts[name][1:] != counts[other][1:] for counts in kernels
        if name in counts and counts[other][0] != kernel_file.NOT_DECLARED)]
    assert same == []


def test_properties_are_declared_in_whole():
    """Each kernel declares all properties; otherwise, NO_OTHERS is missing."""
    for kernel, counts in declared().items():
        assert set(PROPERTIES.values()) <= set(counts), kernel
