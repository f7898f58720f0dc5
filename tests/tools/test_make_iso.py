# SPDX-License-Identifier: BSD-2-Clause
"""The ISO image contains a CD's files, a FAT image that firmware boots, and a stick's volumes."""
import re
import struct
import subprocess

import pytest
from machine import stick as sticks
from conftest import TOP

PROGRAM = TOP / "build/BOOTX64.EFI"
MAKER = TOP / "scripts/make-iso"
SECTOR, CD_SECTOR, MIB = 512, 2048, 1 << 20
PLAN = b"version=1\n[kernels]\nmine\n"
KERNEL = bytes(range(256))
TOOL_S = 120


def make(out, *more):
    return subprocess.run([MAKER, PROGRAM, "-o", out, "--events", TOP / "build/events", *more],
                          capture_output=True, text=True, check=False, timeout=TOOL_S)


@pytest.fixture(scope="module")
def iso(tmp_path_factory):
    """one.iso, with a user's plan and kernel; two.iso beside it is made from the same files."""
    folder = tmp_path_factory.mktemp("iso")
    (folder / "my.cfg").write_bytes(PLAN)
    (folder / "mine.bin").write_bytes(KERNEL)
    (folder / "with.txt").write_text("barecount of a test\nclang 0\n", "ascii")
    options = "--plan", folder / "my.cfg", "--kernel", folder / "mine.bin", "--built-with", \
        folder / "with.txt"
    for name in ("one.iso", "two.iso"):
        done = make(folder / name, *options)
        assert done.returncode == 0, done.stderr
    return folder / "one.iso"


def extracted(iso, folder):
    subprocess.run(["xorriso", "-osirrox", "on", "-indev", iso, "-extract", "/", folder],
                   check=True, capture_output=True, timeout=TOOL_S)
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


def test_built_twice_it_is_the_same(iso):
    assert iso.read_bytes() == iso.with_name("two.iso").read_bytes()


def test_el_torito_names_the_esp(iso):
    """The default entry of the boot catalogue is for UEFI; its image is the stick's ESP.

    Fields of the catalogue: El Torito specification 1.0, section 2. Platform ID EFH: UEFI
    specification, "El Torito".
    """
    data = iso.read_bytes()
    descriptor = data[17 * CD_SECTOR : 18 * CD_SECTOR]
    assert descriptor[:7] == b"\0CD001\1" and descriptor[7:30] == b"EL TORITO SPECIFICATION"
    catalogue = struct.unpack_from("<I", descriptor, 71)[0] * CD_SECTOR
    assert data[catalogue] == 1 and data[catalogue + 1] == 0xEF
    bootable, emulation, _, _, _, sectors, at = struct.unpack_from("<BBHBBHI", data,
                                                                   catalogue + 32)
    assert (bootable, emulation) == (0x88, 0)
    header = data[SECTOR : 2 * SECTOR]
    table = struct.unpack_from("<Q", header, 72)[0] * SECTOR
    first, last = struct.unpack_from("<QQ", data, table + 32)
    assert at * CD_SECTOR == first * SECTOR and sectors == last - first + 1
    assert first * SECTOR % MIB == 0


def test_the_tables_and_volumes_are_sound(iso, tmp_path):
    done = subprocess.run(["sgdisk", "--verify", iso], capture_output=True, text=True, check=True,
                          timeout=TOOL_S, env={"PATH": "/usr/sbin:/sbin"})
    assert "No problems found" in done.stdout
    offsets = sticks.partitions(iso)
    for name, end in (("EFI System", offsets["BARECOUNT"]),
                      ("BARECOUNT", iso.stat().st_size - MIB)):
        part = tmp_path / "part"
        with open(iso, "rb") as whole:
            whole.seek(offsets[name])
            part.write_bytes(whole.read(end - offsets[name]))
        subprocess.run(["/usr/sbin/fsck.vfat", "-n", part], check=True, capture_output=True,
                       timeout=TOOL_S)


def test_everywhere_are_the_plan_and_the_kernel(iso, tmp_path):
    """One of the stick's volumes is also the FAT image that firmware boots."""
    files = extracted(iso, tmp_path / "cd")
    stick = sticks.Stick(iso)
    for name, right in (("barecount/plan.cfg", PLAN), ("barecount/kernels/mine.bin", KERNEL),
                        ("barecount/events/skylakex.csv",
                         (TOP / "build/events/skylakex.csv").read_bytes()),
                        ("barecount/events/perfmon-license.txt",
                         (TOP / "pmu/events/perfmon/LICENSE").read_bytes())):
        assert files[name] == right
        assert stick.read(name) == right
        assert stick.read(name, part="esp") == right
    assert files["EFI/BOOT/BOOTX64.EFI"] == PROGRAM.read_bytes()
    assert stick.read("EFI/BOOT/BOOTX64.EFI", part="esp") == PROGRAM.read_bytes()
    built = b"barecount of a test\r\nclang 0\r\n"
    assert files["EFI/barecount/build.txt"] == built
    assert stick.read("EFI/barecount/build.txt", part="esp") == built


@pytest.mark.parametrize("options, status, told", [
    (["--size-mib", "10"], 1, r"--size-mib: at least \d+"),
    (["--plan", "/nowhere.cfg"], 1, r"/nowhere\.cfg: no such file"),
    (["--kernel", "mine.asm"], 1, r"mine\.asm: not a \.bin file"),
    (["--kernel", "/nowhere.bin"], 1, r"/nowhere\.bin: no such file"),
    (["--events", "/nowhere"], 1, r"/nowhere: no event tables"),
    (["--colour"], 2, r"usage: make-iso ")])
def test_errors(tmp_path, options, status, told):
    done = make(tmp_path / "no.iso", *options)
    assert done.returncode == status and re.search(told, done.stderr)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there(tmp_path):
    done = make(tmp_path / "none/no.iso")
    assert done.returncode == 4 and "none/no.iso" in done.stderr


def test_kernels_that_do_not_fit(tmp_path):
    with open(tmp_path / "large.bin", "wb") as file:
        file.truncate(15 * MIB)
    done = make(tmp_path / "no.iso", "--kernel", tmp_path / "large.bin")
    assert done.returncode == 1 and "volume BARECOUNTCD of 16 MiB: " in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["large.bin"]
