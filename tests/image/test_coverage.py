# SPDX-License-Identifier: BSD-2-Clause
"""`make coverage` reports the code that ran, from the log of a boot or from handwritten logs."""
import pathlib

from machine import program
import pytest
from machine import reached
from conftest import SHORT
from levels import in_full

TOP = pathlib.Path(__file__).resolve().parents[2]
# Lines of boot/main.c that every successful run executes.
RUNS = ("if (run.plan_file && cpu_events_start(&events, firmware_memory))",
        "return machine_find(&machine);", "console_start();", "whole = is_wanted && run_once();")
DOES_NOT = ("menu_pause();",
            r'say("\nbarecount cannot start: %s. Free some, or add some.\n", '
            "status_text(STATUS_NO_MEMORY));", "return command_answer(&run);")


@pytest.fixture(scope="module")
def short_boot(boot_shared, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("reached")
        patch.setenv(reached.FOLDER, str(folder))
        left = boot_shared(plan=SHORT, cpus=2, traced=True)
    (test, (marks, words)), = reached.by_test(folder).items()
    return left, reached.sources(marks, reached.places()), test, words


@in_full("a boot with a log of blocks")
def test_functions(short_boot):
    _, sources, _, _ = short_boot
    assert {name: was for name, (_, was) in sources["boot/main.c"][0].items()} == dict.fromkeys(
        ("run_once", "get_ready", "run_or_answer", "barecount_main"), True)
    net, _ = sources["boot/net/http.c"]
    assert len(net) > 10 and not any(was for _, was in net.values())


@in_full("a boot with a log of blocks")
def test_lines(short_boot):
    _, sources, _, _ = short_boot
    _, known = sources["boot/main.c"]
    lines = (TOP / "boot/main.c").read_text("utf-8").splitlines()
    found = {lines[number - 1].strip(): was for number, was in known.items()}
    assert {text: found.get(text) for text in RUNS} == dict.fromkeys(RUNS, True)
    assert {text: found.get(text) for text in DOES_NOT} == dict.fromkeys(DOES_NOT, False)


@in_full("a boot with a log of blocks")
def test_a_trace_has_no_blocks(short_boot):
    """QEMU logs blocks and traces to the same file. After the boot, the blocks are removed from the
    file.
    """
    left, _, _, _ = short_boot
    assert list(program.writes(left.trace))
    assert all(line.startswith("pmu_model_") for line in left.trace.read_text().splitlines())


@in_full("a boot with a log of blocks")
def test_who_reached_it(short_boot):
    _, _, test, words = short_boot
    assert test == "test_coverage"
    assert {"empty", "nops"} <= words and not {"load", "store"} & words


class Program:
    bytes, entry = bytes(range(0x40, 0x50)), 4


LOADED, AGAIN = 0x7000, 0x9000
BY_BLOCK = f"""----------------
IN:{' '}
0x{LOADED + 4:016x}:{'  '}
OBJD-T: 4445

----------------
IN:{' '}
0x{LOADED + 8:016x}:{'  '}
OBJD-T: 4849
OBJD-T: 4a

"""
BY_INSTRUCTION = f"""----------------
IN:{' '}
0x{LOADED + 4:08x}:  44                    incl     %eax
0x{LOADED + 5:08x}:  45                    incl     %eax
----------------
IN:{' '}
0x{LOADED + 8:08x}:  48 49                 decl     %eax
0x{LOADED + 10:08x}:  4a                   nop
"""
FOREIGN = f"IN: \n0x{LOADED + 12:016x}:  \nOBJD-T: ffff\n"
AT_ANOTHER_PLACE = f"IN: \n0x{AGAIN + 4:016x}:  \nOBJD-T: 4445\n" \
    f"IN: \n0x{AGAIN:016x}:  \nOBJD-T: 40\n"


@pytest.mark.parametrize("log, places", [
    (BY_BLOCK, (4, 5, 8, 9, 10)), (BY_INSTRUCTION, (4, 5, 8, 9, 10)),
    (BY_BLOCK + FOREIGN, (4, 5, 8, 9, 10)), (BY_BLOCK + AT_ANOTHER_PLACE, (0, 4, 5, 8, 9, 10)),
    (FOREIGN, ()), ("", ())])
def test_blocks(log, places):
    """Blocks and instructions are found for any load address. Other programs are ignored."""
    marks = bytearray(len(Program.bytes))
    reached.mark(reached.blocks(log), Program, marks)
    assert [at for at, was in enumerate(marks) if was] == list(places)
