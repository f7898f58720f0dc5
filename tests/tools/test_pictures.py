# SPDX-License-Identifier: BSD-2-Clause
"""The pictures in docs/ are those that scripts/pictures makes, and they are small."""
import struct
import sys

import pytest

import results
import script
from conftest import TOP
from levels import thinned

PICTURES = script.load("pictures")
FOLDER = TOP / "docs/pictures"
PNG = b"\x89PNG\r\n\x1a\n"
PHONE_PX, DESK_PX = 390, 1200


def size_px(name):
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


def made(monkeypatch, capsys, tmp_path):
    """Run scripts/pictures, which must not boot a machine; returns its exit status and message."""
    monkeypatch.setattr(sys, "argv", ["pictures", "-o", str(tmp_path / "out")])
    monkeypatch.setattr(PICTURES, "boot", lambda *_, **__: pytest.fail("a machine boots"))
    status = PICTURES.main()
    assert not (tmp_path / "out").exists()
    return status, capsys.readouterr().err


@pytest.mark.parametrize("name", ["chromium", "chromedriver"])
def test_a_host_without_a_browser(monkeypatch, capsys, tmp_path, name):
    browser = PICTURES.modules()[1]
    monkeypatch.setattr(browser, "PROGRAMS", (f"/nowhere/{name}",))
    status, said = made(monkeypatch, capsys, tmp_path)
    assert status == results.HOST_ERROR
    assert said == (f"pictures: /nowhere/{name} is missing; "
                    f"run: {TOP}/scripts/setup report browser pictures\n")


@pytest.mark.parametrize("name", thinned(["CHROMIUM", "DRIVER"], (0,), "waits for a driver"))
def test_a_browser_that_does_not_start(monkeypatch, capsys, tmp_path, name):
    image, browser, *_ = PICTURES.modules()
    monkeypatch.setattr(browser, name, "/bin/true")
    monkeypatch.setattr(PICTURES, "make", lambda room: PICTURES.take_pages(browser, image, {}))
    status, said = made(monkeypatch, capsys, tmp_path)
    assert status == results.HOST_ERROR
    assert said.startswith("pictures: Chromium shows no report: ") and said.count("\n") == 1, said
    assert "/bin/true" in said or "session not created" in said, said
