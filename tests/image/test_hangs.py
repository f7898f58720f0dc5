# SPDX-License-Identifier: BSD-2-Clause
"""If a kernel does not return, an NMI ends it after the timeout."""
import re

import expect
import own_kernels
import patched
import pytest
from conftest import HANG_MS, plan_text
from levels import in_full, thinned

JUMP = b"\xeb\xfe"                   # jmp $
JUMP_OPEN = b"\xfb\xeb\xfe"          # sti; jmp $
HALT = b"\xfa\xf4\xeb\xfd"           # cli; hlt; jmp to the hlt
KERNELS = ("empty", "nop_1", "load_store", "branch_random", "loop_dec_jnz")


def run(boot, tmp_path, patches, cpus, spare=0, **keys):
    if spare:
        keys["cpus"] = f"0-{cpus - 1}"
    left = boot(cpus=cpus + spare, stick=patched.stick(tmp_path, patches),
                plan=plan_text(kernels=",".join(KERNELS), timeout_ms=HANG_MS, **keys))
    rows = left.results.rows
    assert {row["cpu"] for row in rows} == set(map(str, range(cpus)))
    assert len(rows) == cpus * len(KERNELS) * len(expect.ALL_ROWS)
    assert left.results.run["complete"] is True
    return left, rows


def check(rows, patches, hanging):
    """On the CPUs in `hanging`, each patched kernel hangs at the patched code. All other rows are
    correct.
    """
    for row in rows:
        if row["kernel"] in patches and int(row["cpu"]) in hanging:
            where, code = patches[row["kernel"]]
            part = {patched.ENTRY: "ENTRY", patched.PREPARE: "PREPARE"}[where]
            at = re.search(rf"did not return within its time limit.*at {part}\+0x([0-9a-f]+)",
                           row["reason"])
            assert row["verdict"] == "timeout" and at, row
            assert int(at[1], 16) < len(code), row
            continue
        assert row["verdict"] not in ("timeout", "fault", "off", "unstable"), row
        if row["event"] == "INST_RETIRED.ANY":
            assert row["verdict"] in ("exact", "within"), row


@pytest.mark.parametrize("code", thinned(
    [JUMP, JUMP_OPEN, HALT], (0,), "ways in which a kernel hangs"),
                         ids=["jump", "open", "halt"])
def test_one_after_the_other(boot, tmp_path, code):
    """CPU 0 and CPU 1 watch each other."""
    patches = {"nop_1": (patched.ENTRY, code), "branch_random": (patched.PREPARE, code)}
    left, rows = run(boot, tmp_path, patches, 2)
    check(rows, patches, range(2))
    assert left.verdict.startswith("FAIL ")


@in_full("three CPUs that hang at once")
def test_all_together(boot, tmp_path):
    """CPU 3 does not measure, and ends the boot CPU's kernel."""
    patches = {"nop_1": (patched.ENTRY, HALT), "branch_random": (patched.PREPARE, JUMP)}
    _left, rows = run(boot, tmp_path, patches, 3, spare=1, mode="parallel")
    check(rows, patches, range(3))


def only_on(cpu):
    """Code that loops forever if it runs on the CPU with this APIC ID."""
    return (b"\x53"                    # push rbx
            b"\xb8\x01\x00\x00\x00"    # mov eax, 1
            b"\x0f\xa2"                # cpuid
            b"\xc1\xeb\x18"            # shr ebx, 24
            b"\x83\xfb" + bytes([cpu]) +  # cmp ebx, cpu
            b"\x74\xfe"                # je $
            b"\x5b\xc3")               # pop rbx; ret


@pytest.mark.parametrize("cpu", thinned([0, 1], (1,), "CPU that hangs"))
def test_one_of_those_together(boot, tmp_path, cpu):
    """If the boot CPU hangs, a CPU that has finished ends the boot CPU's kernel."""
    patches = {"nop_1": (patched.ENTRY, only_on(cpu))}
    _left, rows = run(boot, tmp_path, patches, 2, mode="parallel")
    check([row for row in rows if row["kernel"] != "nop_1" or row["cpu"] == str(cpu)], patches,
          {cpu})
    others = [row for row in rows if row["kernel"] == "nop_1" and row["cpu"] != str(cpu)]
    assert others and not {row["verdict"] for row in others} & {"timeout", "fault"}


# On its first run this kernel spins for 16e9 ticks of the TSC, 4 to 8 s.
LATE = """
    cmp byte [rsi], 0
    jne .over
    mov byte [rsi], 1
    rdtsc
    shl rdx, 32
    lea rcx, [rax + rdx]
    mov r8, 16000000000
    add rcx, r8
.again:
    rdtsc
    shl rdx, 32
    or rax, rdx
    cmp rax, rcx
    jb .again
.over:
    ret
"""


@in_full("a kernel that returns late")
@pytest.mark.parametrize("cpu", [0, 1])
def test_one_that_returns_while_its_end_is_on_its_way(boot, tmp_path, cpu):
    """The watching CPU is delayed after its check, so the kernel ends before the NMI arrives. The
    NMI must not arrive while the firmware runs.
    """
    late = own_kernels.assembled("late", LATE, "BUFFER 4096, 64\n" + own_kernels.UNDECLARED,
                                 clobbers="rax, rcx, rdx, r8")
    left = boot(cpus=2, stick=own_kernels.new_stick(tmp_path, {"late.bin": late}),
                props=f"pmu-slow-cpu={1 - cpu},pmu-slow-us=7000000",
                plan=plan_text(kernels="late,nops", cpus=cpu, timeout_ms=HANG_MS))
    assert left.results.run["complete"] is True
    rows = {kernel: [row for row in left.results.rows if row["kernel"] == kernel]
            for kernel in ("late", "nops")}
    assert {row["verdict"] for row in rows["late"]} == {"measured"}
    assert not own_kernels.wrong_rows(left.results, "nops", 0) and rows["nops"]
