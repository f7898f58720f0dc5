# SPDX-License-Identifier: BSD-2-Clause
"""The boot media: disks of each kind, and the ISO image as a CD and as a stick."""
import re
import subprocess

import conftest
import expect
import own_kernels
import pytest
import results
import run_schema
from machine import stick as sticks
from conftest import TOP, plan_text
from levels import in_full, thinned

ISO = TOP / "build/barecount.iso"
FEW = ("empty", "store")
REFUSED_S = 15
PLAN = plan_text(kernels=",".join(FEW), runs=2)
# The user's kernel and the event table are only on the CD.
CD_PLAN = plan_text(kernels="nops,probe", runs=2, at_end="menu") + \
    "[events e]\nMEM_LOAD_RETIRED.L1_MISS\nBR_INST_RETIRED.ALL_BRANCHES\n"


def check_run(left):
    assert left.verdict == "PASS" and left.stick.runs() == ["0001"]
    counts = {name: {count: expect.declared(name, count) for count in expect.COUNTS}
              for name in FEW}
    expect.check_rows(left.results, 1, counts, names=FEW)


@pytest.mark.parametrize("media", thinned(
    ["ahci", "nvme", "virtio", "sd"], (3,), "kinds of disk to boot from"))
def test_disks(boot, media):
    check_run(boot(media=media, cpus=1, plan=PLAN))


def test_the_iso_as_a_stick(boot, tmp_path):
    """The ESP is unchanged."""
    stick = sticks.Stick.copy_of(ISO, tmp_path / "iso.img")
    esp = slice(sticks.partitions(ISO)["EFI System"], sticks.partitions(ISO)["BARECOUNT"])
    check_run(boot(stick=stick, cpus=1, plan=PLAN))
    assert stick.path.read_bytes()[esp] == ISO.read_bytes()[esp]


@pytest.mark.parametrize("media", thinned(["cd", "usb-cd"], (0,), "kind of CD drive"))
def test_the_iso_as_a_cd(tmp_path, media):
    """The program never writes to the CD, since a refused write over USB takes 20 s."""
    cd = sticks.Stick.copy_of(ISO, tmp_path / "cd.iso")
    for name, content in {"plan.cfg": CD_PLAN.encode("ascii"),
                          "kernels/probe.bin": own_kernels.loop()}.items():
        (tmp_path / "file").write_bytes(content)
        cd.put(tmp_path / "file", f"barecount/{name}", part="esp")
    before = cd.path.read_bytes()
    spec = conftest.qemu.Spec(disk=cd.path, media=media, cpus=1)
    with conftest.qemu.Machine(spec) as running:
        assert running.wait_for(r"^PASS$[\s\S]*Leaves in ", conftest.BOOT_S), running.console
        running.send(b"s")
        assert conftest.program.wait_over(running, conftest.BOOT_S)
        print(running.console)
    assert re.search(r"^Plan +\\barecount\\plan\.cfg: 1 CPU, 2 kernels", running.console, re.M)
    assert re.search(r"MEM_LOAD_RETIRED\.L1_MISS +event D1H", running.console)
    counts = re.findall(r"^(nops|probe) +\S+ +(\d+) +(\d+)  exact$", running.console, re.M)
    assert counts == [("nops", "0", "0"), ("probe", "0", "1000")]  # L1 misses, branches
    assert re.search(r"^PASS$", running.console, re.M)
    told = [line for line in expect.complaints(running) if "'BARECOUNTCD'" in line]
    assert len(told) == 1 and "EFI_WRITE_PROTECTED" in told[0]
    took_s = float(re.search(r"^Time +([\d.]+) s", running.console, re.M)[1])
    assert took_s < REFUSED_S and cd.path.read_bytes() == before
    cd.path.unlink()


@in_full("make run from a CD")
def test_make_run_from_a_cd(tmp_path):
    """scripts/run puts the plan into the ISO image, and makes files from the serial output."""
    (tmp_path / "plan.cfg").write_text(PLAN, encoding="ascii")
    done = subprocess.run(
        [TOP / "scripts/run", "--cpus", "1", "--media", "cd", "--plan", tmp_path / "plan.cfg",
         "--stick", tmp_path / "stick.img", "--results", tmp_path / "results",
         "--log", tmp_path / "log"],
        capture_output=True, text=True, check=False, timeout=conftest.BOOT_S)
    print(done.stdout, done.stderr)
    assert done.returncode == results.PASSED and "Verdict: PASS" in done.stdout
    folder = (tmp_path / "results/latest").resolve()
    assert f"complete: {folder}/results.csv\n" in done.stdout
    assert f"\nResults: {folder}/\n" in done.stdout
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == [
        folder.name, "index.csv", "latest"]
    found = run_schema.read(folder)
    assert found.status == results.PASSED and not found.missing
    counts = {name: {count: expect.declared(name, count) for count in expect.COUNTS}
              for name in FEW}
    expect.check_rows(found, 1, counts, names=FEW)
    (tmp_path / "stick.iso").unlink()
