# SPDX-License-Identifier: BSD-2-Clause
"""The instructions of the window around a kernel, for tests/machine/formulas.py."""
import formulas

RUNS = 9  # enough for the predictor to learn a kernel


def cycles(core, body):
    """The cycles of the window in boot/cpu/window.asm at CPL 0, with a kernel at address 1000h."""
    stack, behind = 0x9000, 0x2004
    core.end_cycle()
    return core.run([
        formulas.Instruction(0x2000, 4, formulas.CALL_INDIRECT, target=0x1000,
                             accesses=((stack, 8, "load"), (stack - 8, 8, "store"))),
        *body,
        formulas.Instruction(0x1ff0, 1, formulas.RETURN, target=behind,
                             accesses=((stack - 8, 8, "load"),)),
        formulas.Instruction(behind, 5), formulas.Instruction(behind + 5, 2),
        formulas.Instruction(behind + 7, 2), formulas.Instruction(behind + 9, 2)])


# The instructions of kernels in kernels/straight.asm and kernels/loops.asm, without RET.
BODIES = {
    "empty": [],
    "nop_1": [formulas.Instruction(0x1000, 1)],
    "nops": [formulas.Instruction(0x1000 + i, 1) for i in range(1000)],
    "loop_dec_jnz": [
        formulas.Instruction(0x1000 + 3 * jump, 3 - jump,
                             formulas.NO_BRANCH if not jump else
                             formulas.COND_TAKEN if i < 999 else formulas.COND_NOT_TAKEN)
        for i in range(1000) for jump in (0, 1)],
}


def learned(body, count):
    """The count of a kernel that the predictor has learned, minus the empty window's count.

    body() yields the kernel's instructions for each run; count() is applied to the cycles of a run.
    """
    core = formulas.Core()
    empty = [count(cycles(core, [])) for _ in range(RUNS)][-1]
    return [count(cycles(core, body())) for _ in range(RUNS)][-1] - empty


def known(kernel, count):
    return learned(lambda: BODIES[kernel], count)


def cycle_count(window):
    return formulas.total(window)["cycles"]
