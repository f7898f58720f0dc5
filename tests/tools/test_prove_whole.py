# SPDX-License-Identifier: BSD-2-Clause
"""prove_kernels --whole detects a branch to a wrong target even if every count stays the same."""
import pathlib
import struct
import subprocess

import kernel_file
import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
PROVE_S = 60
RING, DISTANCE = "targets_16_256", 16
DEC, JNZ = 3, 6  # bytes of DEC RDI and of JNZ, in each place of the ring


def proved(path, blob, *options):
    path.write_bytes(kernel_file.checksummed(blob))
    done = subprocess.run([TOP / "build/prove_kernels", *options, path], capture_output=True,
                          text=True, timeout=PROVE_S, check=False)
    return done.returncode, done.stdout


# The ring consists of numbered places, each with a DEC and a branch to the next place. In the first
# case the branch of place 0 leads back to place 0, so at n = 3 place 1 is never executed. In the
# second case the branch of place 253 skips place 254. The kernel comes to place 253 only at the
# default n, 512.
@pytest.mark.parametrize("place, leads_to, n", [(0, 0, 3), (253, 255, 512)])
def test_places_that_are_left_out(tmp_path, place, leads_to, n):
    path, table = tmp_path / "ring.bin", (TOP / "build/kernels.bin").read_bytes()
    at, kernel = next((at, one) for at, one in kernel_file.kernels(table) if one.name == RING)
    blob = bytearray(table[at : at + kernel.size])
    assert proved(path, blob, "--whole")[0] == 0
    branch = kernel.entry + place * DISTANCE + DEC
    struct.pack_into("<i", blob, branch + JNZ - 4, (leads_to - place) * DISTANCE - DEC - JNZ)
    assert proved(path, blob)[0] == 0
    status, said = proved(path, blob, "--whole")
    left_out = kernel.entry + (place + 1) * DISTANCE - kernel.record_bytes
    assert status == 1 and f"n = {n}: never executes: dec rdi (code + {left_out:#x})" in said
