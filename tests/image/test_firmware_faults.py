# SPDX-License-Identifier: BSD-2-Clause
"""Firmware that lies or fails, one line of lies for each start of the program that ships.

What no emulator does is done by tests/image/firmware/liar.h, between the firmware and the program.
Every start ends in order, gives back what it took, says what happened, and what it measured is
right all the same. `make soak` lets each single call of the firmware fail in turn.
"""
import os
import re

import expect
import pytest
import results
from conftest import plan_text
from liars import ABORTED, KERNELS, SUCCESS, told

SOAK = "BARECOUNT_SOAK" in os.environ
NAMES = KERNELS.split(",")
UEFI_2_3, UEFI_2_10 = 2 << 16 | 30, 2 << 16 | 100

# Lies; then what the console and, as an error or a remark, run.json say. All of these are measured
# whole, with every file.
MEASURED = (
    ("-", None),
    # another age of UEFI
    (f"revision={UEFI_2_3} old_services", "UEFI 2.3"),
    (f"revision={UEFI_2_10} w_xor_x", "UEFI 2.10"),
    # the clock
    ("clock_fails", "- the machine's clock is not set (it says EFI_DEVICE_ERROR)"),
    ("clock_year=1998", "- the machine's clock is not set (it says 1998-"),
    ("clock_wild", "- the machine's clock is not set (it says 65535-255-255T"),
    # the console
    ("no_keys", None),
    ("keys=1+", None),
    ("console_us=20000", None),
    ("console_us=250000", "- the console is slow: it took "),
    # CPUs
    ("no_mp", "- only the boot CPU is measured: the firmware has no MP services"),
    ("mp=1", "- only the boot CPU is measured: the firmware's MP services do not work"),
    ("no_boot_cpu", None),
    ("no_boot_cpu who=1", "- only the boot CPU is measured: the firmware's MP services do not say "
                          "which CPU this is"),
    # time, events
    ("event=1+", None),
    ("timer=1+", None),
    ("stall=20", None),
    ("no_tick", None),
    ("no_watchdog", None),
    ("watchdog=1+", "- the firmware's watchdog cannot be stopped: it may reset the machine"),
    # tables
    ("no_smbios no_vendor", "Machine    SMBIOS does not name it"),
    ("smbios=1", "Machine    SMBIOS does not name it"),
    ("smbios=2", "Machine   To Be Filled By O.E.M. To Be Filled By O.E.M."),
    ("smbios=3", "Machine   cut"),
    ("smbios=4", "Machine    SMBIOS does not name it"),
    ("no_acpi", None),
    # where it came from
    ("no_image", None),
)


UUID = "01234567-89ab-cdef-8123-456789abcdef"


OF_FILES = ("open", "read", "write", "position", "info", "flush", "remove", "file")


def check_order(start):
    """It came back, with an answer that is one of two, and left nothing behind.

    But for what is open on a volume that failed, two roots and the journal: to close it may take
    as long as to use it. Of pools, some that are freed were the firmware's own.
    """
    assert start.status in (SUCCESS, ABORTED), start
    assert start.left["pages"] == start.left["events"] == 0 >= start.left["pools"], start
    fails = any(word.split("=")[0] in OF_FILES for word in start.lies.split())
    assert 0 <= start.left["files"] <= 3 * fails, start


def check_numbers(found, cpus=1, names=NAMES):
    """Rows of every kernel and event, right ones."""
    expect.check_rows(found, cpus, expect.default_counts(), names=names)
    assert found.run["complete"] is True and found.status == results.PASSED


def errors_said(start):
    """Without the errata of the model's CPU."""
    return [line for line in start.complaints if not line.startswith("! SKL")]


def said_in_run(found):
    return found.run["errors"] + found.run["remarks"]


@pytest.fixture(scope="module")
def measured(boot_shared, tmp_path_factory):
    lines = [lies for lies, _ in MEASURED]
    _, starts = told(boot_shared, tmp_path_factory.mktemp("measured"), lines, cpus=1,
                     more=("-uuid", UUID))
    return {start.lies: start for start in starts}


@pytest.mark.parametrize("lies, said", MEASURED)
def test_what_is_measured_all_the_same(measured, lies, said):
    start = measured[lies]
    check_order(start)
    assert start.status == SUCCESS and start.verdict == "PASS"
    check_numbers(start.found)
    if said:
        assert said in start.text, start.text
    if said and said.startswith("- "):
        assert any(text.startswith(said[2:]) for text in said_in_run(start.found))
        assert start.text.count(said) == 1
    assert not errors_said(start)


def test_a_clock_that_is_not_set_leaves_no_date(measured):
    """Runs are numbered all the same; what is no date is not shown as one."""
    for lies, start in measured.items():
        date = start.found.run["started"]
        if lies.startswith("clock"):
            assert date == "", lies
        else:
            assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ?", date), (lies, date)
    folders = [start.folder for start in measured.values()]
    assert folders == [f"{i:04}" for i in range(1, len(folders) + 1)]


def test_a_slow_console_is_not_asked_for_more(measured):
    """Whole lines, and no progress: as few pieces of text as lines."""
    quick, slow = measured["-"], measured["console_us=250000"]
    assert "Writing the results" in quick.text and "Writing the results" not in slow.text
    assert slow.calls["console"] <= len(slow.text.splitlines()) + 20  # some are empty


def test_a_machine_without_an_identity_has_none(measured):
    """A UUID of equal bytes is none (DSP0134)."""
    for lies, start in measured.items():
        assert start.found.run["machine"]["uuid"] == ("" if "smbios" in lies else UUID), lies


def test_without_an_acpi_timer(measured):
    """The frequency is another source's, or unknown, and says which."""
    machine = measured["no_acpi"].found.run["machine"]
    assert "ACPI" in measured["-"].found.run["machine"]["tsc_source"]
    assert "ACPI" not in machine["tsc_source"]


# Lies about four CPUs; what is said; which CPUs are measured; which one fails.
OF_CPUS = (
    ("cpu_disabled=2", "- not measured: CPU 1: disabled by the firmware", (0, 2, 3), None),
    ("cpu_ill=12", "- not measured: CPU 2-3: not healthy", (0, 1), None),
    ("cpu_unknown=4 cpu_disabled=2", "- not measured: CPU 2: not described", (0, 3), None),
    ("cpu_dead=2", "! CPU 1: the firmware cannot start the CPU: leave it", (0, 2, 3), 1),
    ("cpu_busy=8", "! CPU 3: the firmware cannot start the CPU: leave it", (0, 1, 2), 3),
)


@pytest.fixture(scope="module")
def of_cpus(boot_shared, tmp_path_factory):
    plan = plan_text(kernels=KERNELS, runs=2, warmup=0, at_end="leave")
    _, starts = told(boot_shared, tmp_path_factory.mktemp("cpus"),
                     [lies for lies, *_ in OF_CPUS], plan=plan, cpus=4)
    return {start.lies: start for start in starts}


@pytest.mark.parametrize("lies, said, cpus, failing", OF_CPUS)
def test_a_cpu_that_is_not_to_be_had(of_cpus, lies, said, cpus, failing):
    """It is named, and the others are measured."""
    start = of_cpus[lies]
    check_order(start)
    assert start.status == SUCCESS
    assert said in start.text
    assert any(text.startswith(said[2:]) for text in said_in_run(start.found))
    lost = [row for row in start.found.rows if row["cpu"] == str(failing)]
    start.found.rows = [row for row in start.found.rows if row not in lost]
    expect.check_rows(start.found, cpus, expect.default_counts(), names=NAMES)
    if failing is None:
        assert start.verdict == "PASS" and not errors_said(start)
        return
    assert len(lost) == len(NAMES) * len(expect.ALL_ROWS)
    assert {row["verdict"] for row in lost} == {"timeout"}
    assert {row["reason"] for row in lost} == {"left out: this CPU did not answer before"}
    assert start.verdict == f"FAIL {len(lost)}"


# What costs the console, the files or the memory: nothing that is lost is passed over in silence,
# and no number is wrong. `+`: so it stays.
LOSING = tuple(f"{lies} by_hand" for lies in (
    "no_console", "console=1+", "no_device", "open=40+", "read=3", "write=1", "write=4+",
    "position=2", "info=1+", "flush=1", "flush=4+", "remove=1+", "file=60", "file=90+",
    "pages=1", "pages=3", "pages=5", "pages=7", "pages=9", "pages=11", "pages=12+", "pool=1+",
    "map=1", "map=2+", "kib=256", "kib=1500", "kib=4000"))
SILENT = ("no_console by_hand", "console=1+ by_hand")


def check_loss(start):
    check_order(start)
    if start.lies not in SILENT:
        assert start.verdict or "cannot start" in start.text, start
        if start.status != SUCCESS:
            assert errors_said(start) or "cannot start" in start.text or \
                "on this console only" in start.text, start
    if start.found is None:
        assert start.status == ABORTED, start
        return
    counts = expect.default_counts()
    for row in start.found.rows:
        count = expect.DECLARED.get(row["event"])
        if row["verdict"] == "exact":
            right = str(counts[row["kernel"]][count])
            assert [row["min"], row["max"], row["expected"]] == [right] * 3, row
    if start.status == SUCCESS:
        assert start.found.run["complete"] is True and not start.found.missing, start


@pytest.fixture(scope="module")
def losing(boot_shared, tmp_path_factory):
    left, starts = told(boot_shared, tmp_path_factory.mktemp("losing"), LOSING, cpus=1)
    return left, {start.lies: start for start in starts}


@pytest.mark.parametrize("lies", LOSING)
def test_what_is_lost_is_said(losing, lies):
    check_loss(losing[1][lies])


@pytest.mark.parametrize("lies", ["pool=1+ by_hand", "map=2+ by_hand"])
def test_without_memory_for_a_buffer(losing, lies):
    """The kernel that wants one is left out; the others are measured."""
    start = losing[1][lies]
    assert "the firmware has no memory for buffers of " in start.text
    check_numbers(start.found, names=[name for name in NAMES if name != "load"])


@pytest.mark.parametrize("lies", SILENT)
def test_without_a_console_results_are_written(losing, lies):
    start = losing[1][lies]
    assert start.status == SUCCESS and start.text.strip() == ""
    check_numbers(start.found)


def test_without_a_serial_line_and_a_screen(boot):
    """The firmware itself has no console: the results are on the stick."""
    left = boot(cpus=1, serial=False, plan=plan_text(kernels=KERNELS, runs=2))
    assert left.console == "" and left.results.verdict_line == "PASS"
    check_numbers(left.results)


# Calls that may fail once, or from then on. Of those that are many, so many, evenly spread.
SWEPT = ("pages", "pool", "map", "event", "timer", "handles", "volume", *OF_FILES)
STARTS_MAX = 60


@pytest.mark.skipif(not SOAK, reason="hundreds of starts: make soak")
@pytest.mark.parametrize("kind", SWEPT)
def test_each_call_fails_in_turn(boot, tmp_path, kind):
    """First one that never comes, which changes nothing; then each of an undisturbed start's.

    A kernel that ran when a volume failed is left out by later starts, as one that stopped the
    machine would be.
    """
    (tmp_path / "calls").mkdir()
    _, (start,) = told(boot, tmp_path / "calls", ["by_hand"], cpus=2)
    calls = start.calls.get(kind, 0)
    chosen = range(1, calls + 1, -(-calls // STARTS_MAX) or 1)
    lines = [f"{kind}={calls + 99} by_hand"]
    lines += [f"{kind}={n}{more} by_hand" for n in chosen for more in ("", "+")]
    (tmp_path / "swept").mkdir()
    _, starts = told(boot, tmp_path / "swept", lines, timeout_s=3600, cpus=2)
    for start in starts:
        check_loss(start)
    assert starts[0].status == SUCCESS and starts[0].verdict == "PASS"
    check_numbers(starts[0].found)
