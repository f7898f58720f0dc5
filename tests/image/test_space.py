# SPDX-License-Identifier: BSD-2-Clause
"""Kernels run in page tables of their own. Their faults are reported, and nothing else breaks."""
import re

import patched
import pytest
from conftest import plan_text
from levels import in_full

GOOD = ("empty", "nop_1", "load_store")
ELSEWHERE = 0x100000  # unused memory that firmware maps

# Name of a kernel -> the code that replaces it, and the reason in the kernel's rows. In the code,
# `|` marks the instruction at which the exception is reported. The bits of a page fault's error
# code (Intel SDM vol. 3A "Interrupt 14"): 1 present, 2 write, 4 user, 16 fetch.
FAULTS = {
    "nops": (f"mov eax, {ELSEWHERE}; |mov [rax], al; ret",
             rf"#PF \(14\), error code 0x3, at PLACE, address {ELSEWHERE:#x}"),
    "loop_dec_jnz": (f"mov eax, {ELSEWHERE}; jmp rax|",
                     rf"#PF \(14\), error code 0x11, at address {ELSEWHERE:#x}, outside the "
                     "kernel"),
    "guide_loop_4": ("lea rax, [$]; |mov [rax], al; ret",
                     r"#PF \(14\), error code 0x3, at PLACE, address ENTRY\+0x0"),
    "guide_loop_6": ("xor esp, esp; |push rax; ret",
                     r"#PF \(14\), error code 0x2, at PLACE, address 0xfffffffffffffff8"),
    # For a non-canonical stack address, QEMU 7.2 raises #GP, but a CPU raises #SS (SDM).
    "add_chain": ("mov rsp, 0x123456789abcdef0; |push rax; ret",
                  r"#(SS \(12\)|GP \(13\)), error code 0x0, at PLACE"),
    "imul_chain": ("|again: push rax; jmp again",
                   r"#PF \(14\), error code 0x2, at PLACE, address stack-0x8, 8 bytes below it"),
    "load": ("xor ecx, ecx; |div ecx; ret", r"#DE \(0\), error code 0x0, at PLACE"),
    "store": ("|mov [rsi + r8 + 0x800], al; ret", r"#PF \(14\), error code 0x2, at PLACE, "
              r"address buffer\+0x17a0, 2048 bytes past its end"),  # the buffer has 4000 bytes
    "branch_alternating": ("mov rax, 0x123456789abcdef0; |mov al, [rax]; ret",
                           r"#GP \(13\), error code 0x0, at PLACE"),
    "branch_random": ("fninit; push 0x37b; fldcw [rsp]; pop rax; fld1; fldz; fdivp; |fwait; ret",
                      r"#MF \(16\), error code 0x0, at PLACE"),
    "call_ret": ("pushfq; or dword [rsp], 0x100; popfq; nop; |ret",
                 r"#DB \(1\), error code 0x0, at PLACE"),
    "sse_byte_mask": ("mov rax, cr0; and eax, 0x50000; cmp eax, 0x50000; jne $ + 4; |ud2; ret",
                      r"#UD \(6\), error code 0x0, at PLACE"),  # WP and AM are set
    "avx_byte_mask": (f"sub rsp, 16; sidt [rsp]; mov word [rsp], 8 * 16 + 15; lidt [rsp];"
                      f"mov eax, {ELSEWHERE}; |mov [rax], al; ret",
                      r"#DF \(8\), error code 0x0, at PLACE"),
    "rep_movsb": ("|int 0x40; ret", r"#GP \(13\), error code 0x[0-9a-f]+, at PLACE"),
}

CHANGES = {
    "nops": ("inc rbx; ret", "RBX"),
    "loop_dec_jnz": ("inc r15; xor ebp, ebp; ret", "RBP, R15"),
    "guide_loop_4": ("pop rax; push rax; push rax; jmp rax", "RSP"),
    "guide_loop_6": ("mov [rsp + 24], rsp; ret", "the stack above its frame"),
    "add_chain": ("std; ret", "RFLAGS"),
    "imul_chain": ("push 0x9f80; ldmxcsr [rsp]; pop rax; ret", "MXCSR"),
    "load": ("push 0x27f; fldcw [rsp]; pop rax; ret", "the x87 control word"),
    "store": ("mov rax, cr4; xor rax, 4; mov cr4, rax; ret", "CR4"),
    "branch_alternating": ("mov rax, cr0; xor rax, 0x20; mov cr0, rax; ret", "CR0"),
    "branch_random": ("sub rsp, 16; sidt [rsp]; dec word [rsp]; lidt [rsp]; add rsp, 16; ret",
                      "IDTR"),
    "call_ret": ("sub rsp, 16; sgdt [rsp]; dec word [rsp]; lgdt [rsp]; add rsp, 16; ret", "GDTR"),
    "rep_movsb": ("mov rax, cr8; xor rax, 2; mov cr8, rax; ret", "CR8"),
    "sse_byte_mask": ("xor eax, eax; mov ds, eax; mov fs, eax; mov eax, 1; mov dr7, rax; ret",
                      "a segment register, DR7"),
    "avx_byte_mask": ("xor ecx, ecx; mov eax, 3; xor edx, edx; xsetbv; ret", "XCR0"),
}

# At CPL 3, QEMU 7.2 raises neither #AC nor #XM, so these two are not tested. A kernel that enables
# one of them is reported because it changes RFLAGS or MXCSR.
USER = {
    "nops": FAULTS["nops"][:1] + (rf"#PF \(14\), error code 0x7, at PLACE, "
                                  rf"address {ELSEWHERE:#x}",),
    "loop_dec_jnz": (f"mov eax, {ELSEWHERE}; jmp rax|",
                     rf"#PF \(14\), error code 0x15, at address {ELSEWHERE:#x}, outside the "
                     "kernel"),
    "guide_loop_6": ("|hlt; ret", r"#GP \(13\), error code 0x0, at PLACE"),
    "add_chain": ("|cli; ret", r"#GP \(13\), error code 0x0, at PLACE"),
    "imul_chain": ("xor esp, esp; |push rax; ret",
                   r"#PF \(14\), error code 0x6, at PLACE, address 0xfffffffffffffff8"),
    "load": ("|mov al, [rsi - 1]; ret",
             r"#PF \(14\), error code 0x4, at PLACE, address buffer-0x1, 1 byte below it"),
    "store": ("int3; |ret", r"#BP \(3\), error code 0x0, at PLACE"),
    "guide_loop_4": ("|mov rax, cr0; ret", r"#GP \(13\), error code 0x0, at PLACE"),
    "branch_alternating": ("|int 0x21; ret",
                           r"#GP \(13\), error code 0x[0-9a-f]+, at PLACE"),
}
USER_CHANGES = {kernel: CHANGES[kernel] for kernel in (
    "guide_loop_4", "guide_loop_6", "add_chain", "imul_chain", "load")} | {
        "store": ("pushfq; or dword [rsp], 0x40000; popfq; ret", "RFLAGS"),
        "nops": CHANGES["nops"], "loop_dec_jnz": CHANGES["loop_dec_jnz"]}


def check(boot, folder, bad, sentence, **keys):
    """Every row of a bad kernel has the kernel's reason. The rows of good kernels are `exact` or
    `measured`.
    """
    program, offsets = patched.program_of_text(
        folder, {name: code for name, (code, _) in bad.items()})
    good, others = ",".join(GOOD[:2]), ",".join(bad)
    plan = plan_text(kernels=f"{good},{others},{GOOD[2]}", runs=3, **keys)
    left = boot(plan=plan, cpus=2, program_bytes=program)
    rows = left.results.rows
    for name, (_, reason) in bad.items():
        wanted = sentence + reason.replace("PLACE", rf"ENTRY\+{offsets[name]:#x}")
        found = [row for row in rows if row["kernel"] == name]
        assert {row["cpu"] for row in found} == {"0", "1"}
        for row in found:
            assert row["verdict"] == "fault" and re.fullmatch(wanted, row["reason"]), (wanted, row)
    good = [row for row in rows if row["kernel"] in GOOD]
    assert {row["verdict"] for row in good} == {"exact", "measured"}
    assert len({(row["kernel"], row["cpu"]) for row in good}) == 2 * len(GOOD)


FAULT = "the kernel raised an exception: "
CHANGE = "the kernel changed what it must leave alone: "


def test_exceptions(boot, tmp_path):
    check(boot, tmp_path, FAULTS, FAULT)


def test_what_a_kernel_must_leave_alone(boot, tmp_path):
    check(boot, tmp_path, CHANGES, CHANGE)


def test_exceptions_at_cpl_3(boot, tmp_path):
    check(boot, tmp_path, USER, FAULT, cpl=3)


@in_full("changes that a kernel makes at CPL 3")
def test_what_a_kernel_must_leave_alone_at_cpl_3(boot, tmp_path):
    check(boot, tmp_path, USER_CHANGES, CHANGE, cpl=3)


@in_full("changes that kernels make in parallel")
@pytest.mark.parametrize("method", ["reset", "deltas"])
def test_in_parallel(boot, tmp_path, method):
    some = {name: CHANGES[name] for name in ("nops", "branch_random")}
    check(boot, tmp_path, some, CHANGE, mode="parallel", method=method)
