# SPDX-License-Identifier: BSD-2-Clause
"""The pictures that the pages of docs/ show: those that scripts/pictures makes, and small."""
import struct

import script
from conftest import TOP

PICTURES = script.load("pictures")
FOLDER = TOP / "docs/pictures"
PNG = b"\x89PNG\r\n\x1a\n"
PHONE_PX, DESK_PX = 390, 1200


def size_px(name):
    """Width and height, as they stand at the head of a PNG file."""
    head = (FOLDER / name).read_bytes()[:24]
    assert head.startswith(PNG) and head[12:16] == b"IHDR", name
    return struct.unpack(">II", head[16:])


def test_the_folder_has_what_the_script_makes():
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(PICTURES.PICTURES)


def test_they_are_small():
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert {name: size for name, size in sizes.items() if size > 60_000} == {}
    assert sum(sizes.values()) <= 300_000


def test_reports_are_as_wide_as_a_desk_s_and_a_phone_s_screen():
    widths = {name: size_px(name)[0] for name in PICTURES.PICTURES if name.startswith("report-")}
    assert widths == {"report-light.png": DESK_PX, "report-dark.png": DESK_PX,
                      "report-phone.png": PHONE_PX + 20 + PHONE_PX}  # two screens, with a gap
