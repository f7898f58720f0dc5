# SPDX-License-Identifier: BSD-2-Clause
"""make sign: its files, and its errors for unsuitable keys."""
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
    """Key pairs by name, in one folder: NAME.key, NAME.pem."""
    folder = tmp_path_factory.mktemp("keys")
    for name, kind in (("mine", ["rsa:2048"]), ("other", ["rsa:2048"]), ("short", ["rsa:1024"]),
                       ("curve", ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])):
        openssl("req", "-x509", "-newkey", *kind, "-nodes", "-keyout", folder / f"{name}.key",
                "-out", folder / f"{name}.pem", "-days", "3650", "-subj", f"/CN={name}/")
    openssl("rsa", "-aes128", "-in", folder / "mine.key", "-passout", "pass:secret",
            "-out", folder / "locked.key")
    openssl("x509", "-in", folder / "mine.pem", "-outform", "der", "-out", folder / "mine.der")
    return folder


def sign(key, cert, out, program=PROGRAM, **more):
    return subprocess.run([TOP / "scripts/sign", key, cert, program, "-o", out], text=True,
                          capture_output=True, check=False, timeout=TOOL_S,
                          stdin=subprocess.DEVNULL, start_new_session=True,
                          **more)  # no terminal to ask for a pass phrase


def verified(cert, program):
    return subprocess.run(["sbverify", "--cert", cert, program], capture_output=True,
                          check=False, timeout=TOOL_S).returncode == 0


def test_a_key_and_its_certificate(keys, tmp_path):
    done = sign(keys / "mine.key", keys / "mine.pem", tmp_path)
    assert done.returncode == 0 and "Signed by CN = mine." in done.stdout, done.stderr
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
    """The error names it, and no file remains that looks like a signed program."""
    done = sign(keys / key, keys / cert, tmp_path)
    assert done.returncode == 1 and told in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def test_without_the_tool(keys, tmp_path):
    """PATH has everything that the script needs first, but no sbsign."""
    for tool in ("bash", "dirname", "env", "getopt"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")
    done = sign(keys / "mine.key", keys / "mine.pem", tmp_path / "out",
                env={**os.environ, "PATH": str(tmp_path)})
    assert done.returncode == 4 and "sbsign is missing; run: scripts/setup program" in done.stderr


def test_no_program_for_uefi(keys, tmp_path):
    done = sign(keys / "mine.key", keys / "mine.pem", tmp_path, keys / "mine.pem")
    assert done.returncode == 1 and "sbsign failed:" in done.stderr
    assert not list(tmp_path.iterdir())


def test_without_a_key():
    done = subprocess.run(["make", "-s", "-C", TOP, "-o", "image", "-o", "iso", "sign"],
                          capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0 and "KEY=key.pem CERT=cert.pem" in done.stderr
