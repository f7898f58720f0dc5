# SPDX-License-Identifier: BSD-2-Clause
"""The properties that kernels declare: their names, and the kernels that tell them apart."""
import pathlib
import re

import kernel_file
import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
PROPERTIES = kernel_file.properties()


def declared():
    """{kernel: {property or event: (kind, low c0, low c1, high c0, high c1)}}."""
    table = (TOP / "build/kernels.bin").read_bytes()
    return {kernel.name: kernel.declared | kernel.properties
            for _, kernel in kernel_file.kernels(table) if kernel.properties}


def test_names():
    lines = (TOP / "kernels/names.inc").read_text("ascii")
    names = {int(number): name for name, number in re.findall(
        r"^%define property_(\w+) +(\d+)$", lines, re.M)}
    assert names == PROPERTIES | {max(PROPERTIES) + 1: "end"}
    table = (TOP / "docs/kernels.md").read_text("utf-8").split("\n## Properties\n")[1]
    said = re.findall(r"^\| (`.*?) \|", table.split("\n## ")[0], re.M)
    assert ", ".join(said).replace("`", "").split(", ") == list(PROPERTIES.values())


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
    """A kernel that declares one property declares all; otherwise, NO_OTHERS is missing."""
    for kernel, counts in declared().items():
        assert set(PROPERTIES.values()) <= set(counts), kernel
