# SPDX-License-Identifier: BSD-2-Clause
"""The kernels' buffers: on the measured CPU's node, aligned, and of the requested size."""
import pytest

import own_kernels
from conftest import plan_text
from levels import in_full, thinned

MIB = 1 << 20
# Two nodes, each with a CPU and 512 MiB, all below 4 GiB.
NODES = ("-object", "memory-backend-ram,id=m0,size=512M",
         "-object", "memory-backend-ram,id=m1,size=512M",
         "-numa", "node,nodeid=0,cpus=0,memdev=m0", "-numa", "node,nodeid=1,cpus=1,memdev=m1")
UNEQUAL = tuple(arg.replace("id=m0,size=512M", "id=m0,size=768M").replace(
    "id=m1,size=512M", "id=m1,size=256M") for arg in NODES)


# Faults if the buffer's last byte is neither 0 nor the kernel's TOKEN.
LAST_BYTE = """
    mov al, [rsi + r8 - 1]
    test al, al
    jz .zeroed
    cmp al, TOKEN
    je .zeroed
    ud2
.zeroed:
    mov byte [rsi + r8 - 1], TOKEN
    ret
"""


def buffers(left):
    return {(b["cpu"], b.get("node"), int(b["address"], 16)) for b in left.results.run["buffers"]}


@pytest.mark.parametrize("mode", thinned(["serial", "parallel"], (1,), "mode with two nodes"))
def test_near_the_cpu(boot, mode):
    left = boot(cpus=2, more=NODES, plan=plan_text(
        mode=mode, runs=2) + "[kernels]\nload n=1000 size=64M page=2M\nempty\n")
    found = buffers(left)
    assert {(cpu, node) for cpu, node, _ in found} == {(0, 0), (1, 1)} and len(found) == 2
    for _, node, address in found:
        assert 512 * MIB * node <= address and address + 64 * MIB <= 512 * MIB * (node + 1)
        assert address % (2 * MIB) == 0 and address >= MIB
    assert left.verdict == "PASS"
    assert not [r for r in left.results.run["remarks"] if "buffer" in r]


@in_full("buffers while a NUMA node is full")
def test_a_node_that_is_too_small(boot):
    left = boot(cpus=2, more=UNEQUAL, plan=plan_text(runs=2, warmup=0) +
                "[kernels]\nload n=1000 size=300M\n")
    assert {(cpu, node) for cpu, node, _ in buffers(left)} == {(0, 0), (1, 0)}
    assert "CPU 1: its node 1 does not have 307200 KiB free in one piece; the buffer is on " \
        "node 0" in left.results.run["remarks"]
    assert left.verdict == "PASS"


@in_full("a machine with 6 GiB of memory")
def test_the_lowest_from_4_gib(boot):
    """The buffer is at the lowest free address from 4 GiB on.

    QEMU's q35 places 4 GiB of the memory above 4 GiB, and the firmware uses the upper end.
    """
    left = boot(cpus=1, memory_mib=6144, plan=plan_text(kernels="load", runs=2))
    (_, _, address), = buffers(left)
    assert 4 << 30 <= address < (4 << 30) + 64 * MIB


@in_full("buffers of gigabytes, which take a long time to zero")
def test_gigabytes(boot):
    """The buffer fits only above 4 GiB."""
    left = boot(cpus=1, memory_mib=7168, plan=plan_text(runs=1, warmup=0) +
                "[kernels]\nload n=1000 size=3G page=1G\n")
    (_, node, address), = buffers(left)
    assert address >= 4 << 30 and address % (1 << 30) == 0 and node is None
    assert left.verdict == "PASS"


def test_more_than_there_is(boot):
    left = boot(cpus=1, plan=plan_text(runs=1, warmup=0) + "[kernels]\nload size=8G,16K\n")
    assert any("memory for buffers whose size or alignment is 8G" in e
               for e in left.results.run["errors"])
    assert {r["param"] for r in left.results.rows} == {"size=16384"}
    assert {r["mad"] for r in left.results.rows if r["runs"] == "1"} == {"0"}


def test_an_alignment_that_there_is_not(boot, tmp_path):
    """A kernel is left out if no memory has its alignment."""
    wild = own_kernels.assembled("wild", "ret", "BUFFER 64, 0x80000000\n" + own_kernels.UNDECLARED)
    stick = own_kernels.new_stick(tmp_path, {"wild.bin": wild})
    left = boot(cpus=1, stick=stick, plan=plan_text(kernels="load,wild", runs=1, warmup=0))
    assert any("no memory for buffers whose size or alignment is 2G" in e
               for e in left.results.run["errors"])
    assert {r["kernel"] for r in left.results.rows} == {"load"}


def test_zeroed_between_kernels(boot, tmp_path):
    """Each kernel finds every byte of a shared buffer zeroed, even if the buffer's size is odd."""
    stick = own_kernels.new_stick(tmp_path, {
        f"{name}.bin": own_kernels.assembled(name, LAST_BYTE.replace("TOKEN", token),
                                             "BUFFER 4096, 8\n" + own_kernels.UNDECLARED)
        for name, token in (("one", "1"), ("two", "2"))})
    left = boot(cpus=1, stick=stick,
                plan=plan_text(runs=2) + "[kernels]\none size=5003\ntwo size=5003\n")
    assert {r["kernel"] for r in left.results.rows} == {"one", "two"}
    assert {r["verdict"] for r in left.results.rows} == {"measured"} and left.verdict == "PASS"
