# SPDX-License-Identifier: BSD-2-Clause
"""Secure Boot with keys that the test makes, on the OVMF build that enforces Secure Boot."""
import hashlib
import pathlib
import re
import subprocess

import expect
from machine import network
from machine import qemu
import own_kernels
import pytest
import secure_vars
from machine import stick as sticks
import conftest
from conftest import IMAGE, TOP, plan_text
from levels import in_full, thinned

SIGN = TOP / "scripts/sign"
PROGRAM = TOP / "build/BOOTX64.EFI"
SHIM = pathlib.Path("/usr/lib/shim/shimx64.efi")
TOOL_S = 120
TSC_AUX = 0xc0000103  # RDTSCP and RDPID return it; not in the list of MSRs that are safe to write
CODE = "[code one_nop]\ncode=90\nunroll=10\nloop=10\n"
CODE_COPIES = 10 * 10
# An unsigned plan. Under Secure Boot its unsafe write, its kernel in a file and its code are
# refused.
UNSIGNED = plan_text(kernels="nops,probe,one_nop", runs=2, unsafe_msr="yes") + f"""[msr before]
write {TSC_AUX:#x} 0
{CODE}"""
KERNEL = {"barecount/kernels/probe.bin": own_kernels.loop()}
REFUSED = (("unsafe_msr=yes", "a plan that is not signed has unsafe_msr=no"),
           (f"write {TSC_AUX:#x} 0", "not in the list of MSRs that are safe to write"),
           ("[code one_nop]", "code in a plan that is not signed is left out"))


def sign(keys, file, folder, *options):
    subprocess.run([SIGN, *options, keys / "key", keys / "pem", file, "-o", folder], check=True,
                   capture_output=True, timeout=TOOL_S)
    return folder / file.name


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """{key "mine" or "other": the folder with the program that the key has signed}"""
    folders = {}
    for name in ("mine", "other"):
        folder = folders[name] = tmp_path_factory.mktemp(name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
                        folder / "key", "-out", folder / "pem", "-days", "3650", "-subj",
                        f"/CN={name}/"], check=True, capture_output=True, timeout=TOOL_S)
        sign(folder, PROGRAM, folder)
    return folders


@pytest.fixture
def secured(boot, signed, tmp_path):
    """The key "mine" is enrolled, and has signed the program."""
    def call(program=None, sbat=None, **more):
        variables = tmp_path / "variables"
        variables.write_bytes(secure_vars.enrolled(
            qemu.OVMF_VARS.read_bytes(), (signed["mine"] / "cert.der").read_bytes(), sbat))
        program = program or signed["mine"] / "BOOTX64.EFI"
        return boot(firmware="ovmf-smm", variables=variables, cpus=1,
                    program_bytes=program.read_bytes(), **more)
    return call


def signed_plan(keys, tmp_path, text=UNSIGNED):
    (tmp_path / "plan.cfg").write_text(text)
    return sign(keys, tmp_path / "plan.cfg", tmp_path / "signed").read_bytes()


def assert_counted(left, kernel, instructions):
    row = expect.row_of(left.results, kernel, "INST_RETIRED.ANY")
    assert (row["verdict"], row["median"]) == ("exact", str(instructions)), row


def assert_code_ran(left):
    row = expect.row_of(left.results, "one_nop", "INST_RETIRED.ANY")
    assert (row["verdict"], row["n"], row["per_iteration"]) == ("measured", str(CODE_COPIES), "1")


def test_what_no_signature_covers(secured, signed, tmp_path):
    """The firmware starts only the program that the enrolled key signed. This program refuses
    unsafe_msr=yes, the unsafe write, the code and the kernel in a file.
    """
    others = []
    for name in ("unsigned", "other"):
        disk = sticks.Stick.copy_of(IMAGE, tmp_path / f"{name}.img")
        if name in signed:
            disk.put(signed[name] / "BOOTX64.EFI", "EFI/BOOT/BOOTX64.EFI", part="esp")
        others += ["-drive", f"if=none,id={name},format=raw,file={disk.path}",
                   "-device", f"virtio-blk-pci,drive={name},bootindex={len(others)}"]
    left = secured(plan=UNSIGNED, files=KERNEL, more=tuple(others))
    refused = re.findall(r'failed to load Boot\d+ "UEFI (.+?) *" .*: Access Denied', left.console)
    assert len(refused) == 2 and all(what.startswith("Misc Device") for what in refused)
    assert "Secure Boot is on" in left.console
    assert left.results.run["machine"]["secure_boot"] is True
    assert_counted(left, "nops", expect.declared("nops", "instructions"))
    assert {row["kernel"] for row in left.results.rows} == {"nops"}
    for line, words in REFUSED:
        expect.said_of_line(left, UNSIGNED, line, words)
    assert any(r"\barecount\kernels: Secure Boot is on, and no signature covers kernels in files; "
               "left out: 1" in error for error in left.results.run["errors"])
    for name in ("unsigned", "other"):
        assert not sticks.Stick(tmp_path / f"{name}.img").runs()
        (tmp_path / f"{name}.img").unlink()


def test_a_signed_plan(secured, signed, tmp_path):
    """No signature covers the kernel in a file, so it is still refused."""
    left = secured(plan=signed_plan(signed["mine"], tmp_path), files=KERNEL)
    assert_code_ran(left)
    assert {row["kernel"] for row in left.results.rows} == {"nops", "one_nop"}
    errors = left.results.run["errors"]
    assert len(errors) == 2 and all(any(words in error for error in errors)
                                    for words in ("left out: 1", "'probe'")), errors


@pytest.mark.parametrize("fault", thinned(
    ["another's", "changed"], (1,), "signature that is not accepted"))
def test_a_plan_whose_signature_is_not_accepted(secured, signed, tmp_path, fault):
    plan = signed_plan(signed["other" if fault == "another's" else "mine"], tmp_path)
    if fault == "changed":
        plan = plan.replace(b"code=90", b"code=f4")
    secured(plan=plan, cut_at="the plan is refused: EFI_[A-Z_]+; the built-in plan",
            new_runs=None)


@in_full("a program that allows unsigned kernels")
def test_a_program_that_allows_what_is_not_signed(secured, signed, tmp_path):
    program = sign(signed["mine"], PROGRAM, tmp_path / "allows", "--unsigned-kernels")
    left = secured(program=program, plan=UNSIGNED, files=KERNEL)
    assert left.verdict == "PASS" and not left.results.run["errors"]
    assert_code_ran(left)
    assert_counted(left, "probe", 1 + 2 * 1000)


@in_full("a signed plan without Secure Boot")
def test_a_signed_plan_without_secure_boot(boot, signed, tmp_path):
    """Without Secure Boot, a plan's signature is not verified."""
    left = boot(plan=signed_plan(signed["other"], tmp_path), files=KERNEL, cpus=1)
    assert left.verdict == "PASS"
    assert_code_ran(left)


@in_full("plans from a server under Secure Boot")
@pytest.mark.parametrize("is_signed", [False, True])
def test_a_plan_from_a_server(signed, tmp_path, is_signed):
    text = UNSIGNED.replace("probe,", "")
    folder, variables = tmp_path / "boot", tmp_path / "variables"
    subprocess.run([TOP / "scripts/make-netboot", signed["mine"] / "BOOTX64.EFI", "-o", folder],
                   check=True, timeout=TOOL_S)
    (folder / "barecount/plan.cfg").write_bytes(
        signed_plan(signed["mine"], tmp_path, text) if is_signed else text.encode())
    variables.write_bytes(secure_vars.enrolled(
        qemu.OVMF_VARS.read_bytes(), (signed["mine"] / "cert.der").read_bytes()))
    spec = qemu.Spec(disk=None, cpus=1, firmware="ovmf-smm", variables=variables,
                     more=network.nic(backend=f"user,tftp={folder},bootfile=BOOTX64.EFI"))
    with qemu.Machine(spec) as running:
        said = r"^one_nop " if is_signed else (
            "the plan is refused: Secure Boot is on, and a plan from a server must be signed")
        assert running.wait_for(said.replace(" ", r"\s+"), conftest.BOOT_S), running.console


@pytest.mark.parametrize("generation", thinned([1, 2], (1,), "SBAT generation"))
def test_revoked_by_its_generation(secured, signed, tmp_path, generation):
    """The SBAT list in the firmware's variables may demand a later generation than the program's.
    """
    shim = sign(signed["mine"], SHIM, tmp_path)
    program = signed["mine"] / "BOOTX64.EFI"
    disk = sticks.Stick.copy_of(IMAGE, tmp_path / "stick.img")
    disk.put(program, "EFI/BOOT/grubx64.efi", part="esp")
    left = secured(program=shim, stick=disk, plan=plan_text(kernels="nops", runs=2),
                   sbat=f"sbat,1,2031010100\nbarecount,{generation}\n",
                   **({} if generation == 1 else {
                       "cut_at": "Security (Policy )?Violation", "new_runs": 0}))
    if generation == 1:
        assert_counted(left, "nops", expect.declared("nops", "instructions"))


@in_full("a TPM")
def test_files_are_measured(boot, tmp_path):
    plan, probe = plan_text(kernels="nops", runs=2), own_kernels.loop("probe")
    stick = own_kernels.new_stick(tmp_path, {"probe.bin": probe})
    log, control = tmp_path / "tpm.log", tmp_path / "tpm.sock"
    with subprocess.Popen(["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={tmp_path}", "--ctrl",
                           f"type=unixio,path={control}", "--log", f"level=20,file={log}",
                           "--terminate"]):
        boot(plan=plan, stick=stick, cpus=1, machine="stock", more=(
            "-chardev", f"socket,id=tpm,path={control}", "-tpmdev", "emulator,id=tpm,chardev=tpm",
            "-device", "tpm-tis,tpmdev=tpm"))
    sent = bytes.fromhex("".join(re.findall(r"^ ((?:[0-9A-F]{2} )+)", log.read_text(), re.M)))
    extend_pcr_9 = bytes.fromhex("00000182 00000009")  # TPM2_PCR_Extend and the PCR's handle
    extended = [sent[found.start():found.start() + 200]
                for found in re.finditer(re.escape(extend_pcr_9), sent)]
    for file in plan.encode(), probe:
        digest = hashlib.sha256(file).digest()
        assert any(digest in part for part in extended), log.read_text()[-2000:]


def test_without_secure_boot(default_boot):
    assert default_boot.results.run["machine"].get("secure_boot") in (False, None)
    assert "Secure Boot is on" not in default_boot.console
