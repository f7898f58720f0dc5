# SPDX-License-Identifier: BSD-2-Clause
"""scripts/make-netboot makes a server's folder and its list of files, and keeps a user's files."""
import pathlib
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
PLANS = sorted(f"plans/{path.name}" for path in (TOP / "scripts/plans").glob("*.cfg"))


def make(*arguments):
    done = subprocess.run([TOP / "scripts/make-netboot", *arguments], capture_output=True,
                          text=True, check=False, timeout=60)
    return done.returncode, done.stderr


@pytest.fixture(name="given")
def fixture_given(tmp_path):
    (tmp_path / "PROGRAM").write_bytes(b"MZ")
    (tmp_path / "events").mkdir()
    for name in ("index.csv", "skylakex.csv", "perfmon-license.txt", "differs.txt"):
        (tmp_path / "events" / name).write_text(name)
    (tmp_path / "my.cfg").write_text("version=1\n")
    return tmp_path


def listed(out):
    lines = (out / "barecount/files.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_a_whole_folder(given):
    out = given / "out"
    (given / "link").symlink_to(given / "events")
    assert make(given / "PROGRAM", "-o", out, "--events", given / "link") == (0, "")
    assert (out / "BOOTX64.EFI").read_bytes() == b"MZ"
    assert (out / "barecount/plan.cfg").read_bytes() == (
        TOP / "scripts/plans/default.cfg").read_bytes()
    assert listed(out) == ["plan.cfg", "events/index.csv", "events/skylakex.csv", *PLANS]
    assert {path.name for path in (out / "barecount/events").iterdir()} == {
        "index.csv", "skylakex.csv", "perfmon-license.txt"}
    assert all((out / "barecount" / path).is_file() for path in listed(out))


def test_what_a_user_put_there_is_kept(given):
    out = given / "out"
    assert make(given / "PROGRAM", "-o", out, "--plan", given / "my.cfg") == (0, "")
    (out / "barecount/kernels/probe.bin").write_bytes(b"kernel")
    assert "kernels/probe.bin" not in listed(out)
    assert make("--list", out) == (0, "")
    assert listed(out) == ["plan.cfg", "kernels/probe.bin", *PLANS]
    assert make(given / "PROGRAM", "-o", out) == (0, "")
    assert (out / "barecount/plan.cfg").read_text() == "version=1\n"
    assert listed(out) == ["plan.cfg", "kernels/probe.bin", *PLANS]


def test_what_is_refused(given):
    out = given / "out"
    assert make(given / "none", "-o", out) == (1, f"make-netboot: {given}/none: no such file\n")
    assert make(given / "PROGRAM", "-o", out, "--plan", given / "none")[0] == 1
    assert "no event tables" in make(given / "PROGRAM", "-o", out, "--events", given)[1]
    assert make("--list", out) == (1, f"make-netboot: {out}/barecount: no such folder\n")
    for wrong in ((), ("--list",), (out,), ("-o", out), ("--list", out, out)):
        status, said = make(*wrong)
        assert status == 2 and "\nusage: make-netboot BOOTX64.EFI -o FOLDER" in said
    assert not out.exists()
    out.write_text("a file")
    assert make(given / "PROGRAM", "-o", out)[0] == 4
