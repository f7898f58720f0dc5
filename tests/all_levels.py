# SPDX-License-Identifier: BSD-2-Clause
"""The levels of tests, which scripts/test-all runs, and the test files that they run."""
import dataclasses
import functools
import os
import pathlib

TOP = pathlib.Path(__file__).resolve().parents[1]
FULL = "BARECOUNT_FULL" in os.environ
LONGER = 4 if FULL or "BARECOUNT_COVERAGE" in os.environ else 1
PROGRAM = ("build/BOOTX64.EFI", "build/kernels.bin")
MACHINE = ("build/machine/qemu-system-x86_64", "build/machine/libinsn.so")
HELPERS = ("tests/levels.py", "tests/ledger.py")
GROUPS = ("the product", "proofs of kernels", "the model machine", "style")
PRODUCT, PROOFS, MODEL, STYLE = GROUPS


@dataclasses.dataclass(frozen=True)
class Level:
    name: str
    group: str
    least: int  # the level fails if fewer tests than this pass
    bound_s: int
    tests: str = ""  # a glob, from the top
    command: tuple = ()  # a program that counts its tests; if empty, pytest or UNIT's programs run
    words: tuple = ()  # more arguments for pytest
    inputs: tuple = ()  # files that all its tests depend on; if empty, the tests run each time


UNIT = Level("unit", PRODUCT, 830, 120 * LONGER, "tests/unit/*/test_*.c",
             inputs=("build/kernels.bin", "scripts/plans"))
FUZZ = Level("fuzz", PRODUCT, 10, 300, "tests/fuzz/fuzz_*",
             ("tests/fuzz/run", "45" if FULL else "replay"),
             inputs=("tests/fuzz", "tests/tools/data/old", "scripts/plans"))
# The lanes run side by side. The levels of a lane run one after the other. A waiting Linux machine
# uses a core, so the level linux comes last, when few other tests run.
LANES = (
    (
        Level("image", PRODUCT, 400, 3600 * LONGER, "tests/image/test_*.py",
              words=("-n", "3", "--dist", "loadgroup"),
              inputs=(*PROGRAM, *MACHINE, *HELPERS, "tests/image/conftest.py")),
        Level("bench", PRODUCT, 11, 300, command=("scripts/bench", "--short"),
              inputs=(*PROGRAM, *MACHINE, "build/bench_tables", "build/events", "scripts/bench",
                      "scripts/lib")),
        Level("conform", MODEL, 8000, 1800 * LONGER,
              command=("tests/machine/conform.sh", *(() if FULL else ("--everyday",))),
              inputs=(*MACHINE, "tests/machine/conform.sh", "tests/machine/conform_scenarios.sh",
                      "tests/machine/conform")),
        Level("independent", MODEL, 100, 600, "tests/machine/test_[it]*.py",
              inputs=(*PROGRAM, *MACHINE, *HELPERS, "build/prove_kernels")),
    ),
    (
        Level("style", STYLE, 1000, 300, command=("scripts/check-style",)),
        Level("walks", STYLE, 3, 60, command=("scripts/walks",)),
        Level("duplicates", STYLE, 35, 60, command=("scripts/check-duplicates",)),
        UNIT,
        FUZZ,
        Level("tools", PRODUCT, 530, 1200, "tests/tools/test_*.py",
              inputs=(*HELPERS, "tests/tools/conftest.py", "tests/tools/data")),
        Level("cpus", PRODUCT, 290, 600, "tests/cpus/test_*.py",
              inputs=(*HELPERS, "build/replay", "build/events", "scripts/plans", "tests/cpus",
                      "tests/machines")),
        Level("events", PRODUCT, 220, 1200, "tests/events/test_*.py",
              inputs=(*HELPERS, "tests/events/conftest.py", "tests/events/fixtures")),
        Level("prove", PROOFS, 2500, 600 * LONGER,
              command=("build/prove_kernels", "--whole", *(("--all",) if FULL else ()),
                       "build/kernels.bin"),
              inputs=("build/prove_kernels", "build/kernels.bin")),
        Level("linux", PRODUCT, 28, 1200, "tests/machine/test_[dlv]*.py",
              inputs=(*PROGRAM, *MACHINE, *HELPERS, "build/linux", "build/barecount-linux")),
    ),
)
LEVELS = tuple(level for lane in LANES for level in lane)
# The tests in these files read the whole tree.
WHOLE_TREE = ("tests/image/test_files.py", "tests/image/test_own_kernel.py",
              "tests/tools/test_completion.py", "tests/tools/test_docs.py",
              "tests/tools/test_docs_commands.py", "tests/tools/test_help.py",
              "tests/tools/test_man.py")


@functools.cache
def reached():
    return {str(path.relative_to(TOP)) for level in LEVELS if level.tests
            for path in TOP.glob(level.tests)}
