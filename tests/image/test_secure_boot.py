# SPDX-License-Identifier: BSD-2-Clause
"""Secure Boot with a key that the test makes, on the OVMF build that enforces it."""
import re
import subprocess

import expect
from machine import qemu
import own_kernels
import pytest
import secure_vars
from machine import stick as sticks
from conftest import IMAGE, TOP, plan_text

PLAN = plan_text(kernels="nops,probe", runs=2)
TOOL_S = 120


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """{name: folder} of programs signed with two keys, mine and another's."""
    folders = {}
    for name in ("mine", "other"):
        folder = folders[name] = tmp_path_factory.mktemp(name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
                        folder / "key", "-out", folder / "pem", "-days", "3650", "-subj",
                        f"/CN={name}/"], check=True, capture_output=True, timeout=TOOL_S)
        subprocess.run([TOP / "scripts/sign", folder / "key", folder / "pem",
                        TOP / "build/BOOTX64.EFI", "-o", folder], check=True,
                       capture_output=True, timeout=TOOL_S)
    return folders


def test_secure_boot(boot, signed, tmp_path):
    """The firmware refuses the unsigned program and one with another key, and says so; the one with
    the enrolled key measures, runs a kernel of the stick, and writes results."""
    variables = tmp_path / "variables"
    variables.write_bytes(secure_vars.enrolled(
        qemu.OVMF_VARS.read_bytes(), (signed["mine"] / "cert.der").read_bytes()))
    others = []
    for name in ("unsigned", "other"):
        disk = sticks.Stick.copy_of(IMAGE, tmp_path / f"{name}.img")
        if name in signed:
            disk.put(signed[name] / "BOOTX64.EFI", "EFI/BOOT/BOOTX64.EFI", part="esp")
        others += ["-drive", f"if=none,id={name},format=raw,file={disk.path}",
                   "-device", f"virtio-blk-pci,drive={name},bootindex={len(others)}"]
    left = boot(firmware="ovmf-smm", variables=variables, cpus=1, plan=PLAN, more=tuple(others),
                program_bytes=(signed["mine"] / "BOOTX64.EFI").read_bytes(),
                files={"barecount/kernels/probe.bin": own_kernels.loop()})
    refused = re.findall(r'failed to load Boot\d+ "UEFI (.+?) *" .*: Access Denied', left.console)
    assert len(refused) == 2 and all(what.startswith("Misc Device") for what in refused)
    assert left.verdict == "PASS" and "Secure Boot is on" in left.console
    found = left.results
    assert found.run["machine"]["secure_boot"] is True
    for kernel, right in (("nops", expect.declared("nops", "instructions")),
                          ("probe", 1 + 2 * 1000)):
        row = expect.row_of(found, kernel, "INST_RETIRED.ANY")
        assert (row["verdict"], row["median"]) == ("exact", str(right)), row
    for name in ("unsigned", "other"):
        assert not sticks.Stick(tmp_path / f"{name}.img").runs()
        (tmp_path / f"{name}.img").unlink()


def test_without_secure_boot(default_boot):
    """Secure Boot that is off is distinguished from firmware that does not tell."""
    assert default_boot.results.run["machine"].get("secure_boot") in (False, None)
    assert "Secure Boot is on" not in default_boot.console
