# SPDX-License-Identifier: BSD-2-Clause
"""The program on a user's FAT volume, started by another boot loader or the shell."""
import hashlib
import re

import expect
import pytest
from machine import stick as sticks
from conftest import IMAGE, TOP, plan_text
from levels import in_full, thinned
from test_volume import OneVolume

LOADERS = TOP / "build/loaders"
OURS = r"\EFI\barecount\barecount.efi"
PLAN = plan_text(kernels="nops", runs=2)

GRUB = f"""search --set=root --file {OURS.replace(chr(92), '/')}
chainloader {OURS.replace(chr(92), '/')}
boot
"""
SYSTEMD_ENTRY = f"title barecount\nefi {OURS}\n"
REFIND = f"""timeout 1
use_nvram true
scanfor manual
menuentry barecount {{
    loader {OURS}
}}
default_selection barecount
"""
# rEFInd finds all programs below \EFI, except in its own folder, so it finds only barecount.
REFIND_FOUND = "timeout 1\nuse_nvram true\nscanfor internal,external\n"

# Case -> the boot loader (None: the firmware's shell), files on the volume, and a word that the
# console must contain.
CASES = {
    "grub": ("grubx64.efi", {"EFI/debian/grub.cfg": GRUB}, None),
    "systemd-boot": ("systemd-bootx64.efi", {
        "loader/loader.conf": "timeout 0\ndefault barecount.conf\n",
        "loader/entries/barecount.conf": SYSTEMD_ENTRY}, None),
    "refind": ("refind_x64.efi", {"EFI/BOOT/refind.conf": REFIND}, "rEFInd"),
    "refind finds it": ("refind_x64.efi", {"EFI/BOOT/refind.conf": REFIND_FOUND}, "rEFInd"),
    "shell": (None, {"startup.nsh": f"fs0:{OURS}\r\nreset -s\r\n"}, "Shell"),
}


def digests(stick, folder):
    """{path: digest} of all files outside the folder barecount."""
    folder.mkdir()
    stick.get("", folder)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*")
            if path.is_file() and path.relative_to(folder).parts[0] != "barecount"}


@pytest.fixture
def volume(tmp_path):
    def make(loader, files):
        disk = OneVolume(tmp_path / "one.img")
        disk.remove("EFI/BOOT/BOOTX64.EFI")
        files = {"photos/holiday.jpg": bytes(range(256)) * 999, "notes.txt": "mine\r\n",
                 OURS.replace("\\", "/")[1:]: (TOP / "build/BOOTX64.EFI").read_bytes(),
                 "barecount/plan.cfg": PLAN, **files}
        if loader:
            files["EFI/BOOT/BOOTX64.EFI"] = (LOADERS / loader).read_bytes()
        made = {"EFI", "EFI/BOOT"}
        for path, content in files.items():
            parts = path.split("/")[:-1]
            for depth in range(1, len(parts) + 1):
                if (folder := "/".join(parts[:depth])) not in made:
                    disk.make_folder(folder)
                    made.add(folder)
            (tmp_path / "file").write_bytes(
                content if isinstance(content, bytes) else content.encode("ascii"))
            disk.put(tmp_path / "file", path)
        return disk
    return make


@pytest.mark.parametrize("case", thinned(CASES, (0,), "loaders that start the image"))
def test_chain(boot, volume, tmp_path, case):
    """The program changes no file outside the volume's folder barecount."""
    loader, files, words = CASES[case]
    disk = volume(loader, files)
    before = digests(disk, tmp_path / "before")
    assert "photos/holiday.jpg" in before and "notes.txt" in before
    left = boot(plan=None, stick=disk, cpus=1)
    assert left.verdict == "PASS" and left.stick.runs() == ["0001"]
    assert not words or words in left.console
    nops = {count: expect.declared("nops", count) for count in expect.COUNTS}
    expect.check_rows(left.results, 1, {"nops": nops}, names=("nops",))
    assert digests(disk, tmp_path / "after") == before
    disk.path.unlink()


@in_full("loading the image from another loader")
def test_from_no_volume(boot, tmp_path):
    """iPXE loads the program. iPXE's file system is read-only, so the results go to the stick.

    The server offers no plan, so the stick's plan runs.
    """
    (tmp_path / "tftp").mkdir()
    (tmp_path / "tftp/BOOTX64.EFI").write_bytes((TOP / "build/BOOTX64.EFI").read_bytes())
    disk = sticks.Stick.copy_of(IMAGE, tmp_path / "stick.img")
    disk.remove("EFI/BOOT/BOOTX64.EFI", part="esp")
    left = boot(plan=plan_text(kernels="nops"), stick=disk, cpus=1, machine="stock", more=(
        "-netdev", f"user,id=net,restrict=on,tftp={tmp_path}/tftp,bootfile=BOOTX64.EFI",
        "-device", "virtio-net-pci,netdev=net"))
    assert "iPXE" in left.console and left.stick.runs() == ["0001"]
    flat = re.sub(r"\s+", " ", left.console)
    assert "barecount/files.txt: TFTP error 1, File not found" in flat
    assert "plan, events and kernels come from the volume, none from tftp://10.0.2.2/" in flat
    assert r"Plan \barecount\plan.cfg: 1 CPU, 1 kernel, " in flat
    assert left.results.verdict_line.startswith("NOT MEASURED")  # QEMU without a PMU
    disk.path.unlink()
