# SPDX-License-Identifier: BSD-2-Clause
"""The files that `make sign` writes, and its errors for unsuitable keys."""
import os
import subprocess

import pytest
from conftest import TOP

PROGRAM = TOP / "build/BOOTX64.EFI"
TOOL_S = 120


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True,
                   timeout=TOOL_S)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """A folder with private keys, NAME.key, and their certificates, NAME.pem.

    locked.key is mine.key with a pass phrase, and mine.der is mine.pem in DER.
    """
    folder = tmp_path_factory.mktemp("keys")
    for name, kind in (("mine", ["rsa:2048"]), ("other", ["rsa:2048"]), ("short", ["rsa:1024"]),
                       ("curve", ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])):
        openssl("req", "-x509", "-newkey", *kind, "-nodes", "-keyout", folder / f"{name}.key",
                "-out", folder / f"{name}.pem", "-days", "3650", "-subj", f"/CN={name}/")
    openssl("rsa", "-aes128", "-in", folder / "mine.key", "-passout", "pass:secret",
            "-out", folder / "locked.key")
    openssl("x509", "-in", folder / "mine.pem", "-outform", "der", "-out", folder / "mine.der")
    return folder


def sign(key, cert, out, program=PROGRAM, *options, **more):
    return subprocess.run([TOP / "scripts/sign", *options, key, cert, program, "-o", out],
                          text=True, capture_output=True, check=False, timeout=TOOL_S,
                          stdin=subprocess.DEVNULL, start_new_session=True,
                          **more)  # no terminal to ask for a pass phrase


def verified(cert, program):
    return subprocess.run(["sbverify", "--cert", cert, program], capture_output=True,
                          check=False, timeout=TOOL_S).returncode == 0


def test_a_key_and_its_certificate(keys, tmp_path):
    done = sign(keys / "mine.key", keys / "mine.pem", tmp_path)
    assert done.returncode == 0 and "signed by CN = mine." in done.stdout, done.stderr
    assert verified(keys / "mine.pem", tmp_path / "BOOTX64.EFI")
    assert not verified(keys / "other.pem", tmp_path / "BOOTX64.EFI")
    assert (tmp_path / "cert.der").read_bytes() == (keys / "mine.der").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["BOOTX64.EFI", "cert.der"]


@pytest.mark.parametrize("key, cert, told", [
    ("mine.key", "other.pem", "do not belong together"),
    ("mine.pem", "mine.pem", "mine.pem is not a private key in PEM"),
    ("mine.key", "mine.key", "mine.key is not a certificate in PEM"),
    ("mine.key", "mine.der", "mine.der is not a certificate in PEM"),
    ("nowhere.key", "mine.pem", "nowhere.key: no such file"),
    ("mine.key", "nowhere.pem", "nowhere.pem: no such file"),
    ("curve.key", "curve.pem", "has no RSA key"),
    ("short.key", "short.pem", "an RSA key of 1024 bits; at least 2048"),
    ("locked.key", "mine.pem", "is the pass phrase right")])
def test_keys_that_will_not_do(keys, tmp_path, key, cert, told):
    done = sign(keys / key, keys / cert, tmp_path)
    assert done.returncode == 1 and told in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def test_without_the_tool(keys, tmp_path):
    """PATH contains only the tools that the script needs before it looks for sbsign."""
    for tool in ("bash", "dirname", "env", "getopt"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")
    done = sign(keys / "mine.key", keys / "mine.pem", tmp_path / "out",
                env={**os.environ, "PATH": str(tmp_path)})
    assert done.returncode == 4 and "sbsign is missing; run: scripts/setup program" in done.stderr


def test_no_program_for_uefi(keys, tmp_path):
    for content, told in ((b"-----", "is neither a program for UEFI nor a plan"),
                          (b"", "has 0 bytes"),
                          (b"MZ" + bytes(100), "sbsign failed:"),
                          (b"version=1\n" + bytes(65526), "has 65536 bytes; a plan has 1 to")):
        (tmp_path / "file").write_bytes(content)
        done = sign(keys / "mine.key", keys / "mine.pem", tmp_path / "out", tmp_path / "file")
        assert done.returncode == 1 and told in done.stderr, done.stderr
        assert not list((tmp_path / "out").iterdir())


def test_a_plan(keys, tmp_path):
    """barecount-linux reads a signed plan, but does not verify its signature."""
    (tmp_path / "my.cfg").write_text("version=1\n[run]\nruns=3\nkernel=nops\n")
    done = sign(keys / "mine.key", keys / "mine.pem", tmp_path / "out", tmp_path / "my.cfg")
    assert done.returncode == 0, done.stderr
    plan = tmp_path / "out/my.cfg"
    assert verified(keys / "mine.pem", plan) and not verified(keys / "other.pem", plan)
    for file in (tmp_path / "my.cfg", plan):
        said = subprocess.run([TOP / "build/barecount-linux", "--check-plan", file],
                              capture_output=True, text=True, check=False, timeout=TOOL_S).stdout
        assert f"{file}:4: unknown key 'kernel'" in " ".join(said.split())
        assert "plan errors: 1;" in said


def test_a_plan_is_not_overwritten(keys, tmp_path):
    (tmp_path / "my.cfg").write_text("version=1\n")
    done = sign(keys / "mine.key", keys / "mine.pem", tmp_path, tmp_path / "my.cfg")
    assert done.returncode == 1 and "itself would be overwritten" in done.stderr
    assert (tmp_path / "my.cfg").read_text() == "version=1\n"


def test_a_program_that_runs_what_is_not_signed(keys, tmp_path):
    """The programs signed with and without --unsigned-kernels differ only in the checksum, the
    signature and the word `yes` or `no`.
    """
    words = b"barecount unsigned kernels: "
    sign(keys / "mine.key", keys / "mine.pem", tmp_path)
    strict = (tmp_path / "BOOTX64.EFI").read_bytes()
    done = sign(keys / "mine.key", keys / "mine.pem", tmp_path, PROGRAM, "--unsigned-kernels")
    assert done.returncode == 0, done.stderr
    allowing = (tmp_path / "BOOTX64.EFI").read_bytes()
    at = strict.index(words) + len(words)
    assert (strict[at:at + 4], allowing[at:at + 4]) == (b"no \0", b"yes\0")
    body = slice(0x400, PROGRAM.stat().st_size)  # behind the checksum, before the signature
    assert strict[:at][body] == allowing[:at][body]
    assert strict[at + 3:][:body.stop - at - 3] == allowing[at + 3:][:body.stop - at - 3]
    for file, told in ((TOP / "scripts/plans/quick.cfg", "is a plan"),
                       (tmp_path / "other", "is not barecount")):
        (tmp_path / "other").write_bytes(b"MZ")
        done = sign(keys / "mine.key", keys / "mine.pem", tmp_path / "out", file,
                    "--unsigned-kernels")
        assert done.returncode == 1 and told in done.stderr, done.stderr


def test_without_a_key():
    done = subprocess.run(["make", "-s", "-C", TOP, "-o", "image", "-o", "iso", "sign"],
                          capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0 and "KEY=key.pem CERT=cert.pem" in done.stderr
