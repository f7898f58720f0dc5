# SPDX-License-Identifier: BSD-2-Clause
"""Firmware that fails or gives wrong answers (tests/image/firmware/liar.h).

Each start must end properly, free its resources, report what happened and measure correctly. In
`make soak`, a different call fails in each start. The call fails alone or with all later calls of
its kind. Up to STARTS_MAX calls of each kind are tested.
"""
import re

import expect
import pytest
import results
from conftest import plan_text
from levels import FULL, in_full, in_soak, thinned
from liars import ABORTED, KERNELS, SUCCESS, check_order, errors_said, said_in_run, told

NAMES = KERNELS.split(",")
UEFI_2_3, UEFI_2_10 = 2 << 16 | 30, 2 << 16 | 100

# Each row: the lies, and the message on the console. A message that begins with `-` is also a
# remark or an error in run.json.
MEASURED = (
    ("-", None),
    # the version of UEFI
    (f"revision={UEFI_2_3} old_services", "UEFI 2.3"),
    (f"revision={UEFI_2_10} w_xor_x", "UEFI 2.10"),
    # the clock
    ("clock_fails", "- the machine's clock is not set (it says EFI_DEVICE_ERROR)"),
    ("clock_year=1998", "- the machine's clock is not set (it says 1998-"),
    ("clock_wild", "- the machine's clock is not set (it says 65535-255-255T"),
    # the console
    ("no_keys", None),
    ("hidden_text", "barecount 0."),
    ("keys=1+", None),
    ("console_us=20000", None),
    ("console_us=250000", "- the console is slow: it took "),
    # CPUs
    ("no_mp", "- only the boot CPU is measured: the firmware has no MP services"),
    ("mp=1", "- only the boot CPU is measured: the firmware's MP services do not work"),
    ("no_boot_cpu", None),
    ("no_boot_cpu who=1", "- only the boot CPU is measured: the firmware's MP services do not say "
                          "which CPU this is"),
    # time
    ("no_tick", None),
    ("no_watchdog", None),
    ("watchdog=1+", "- the firmware's watchdog cannot be stopped: it may reset the machine"),
    # tables
    ("no_smbios no_vendor", "Machine   SMBIOS does not name it"),
    ("smbios=1", "Machine   SMBIOS does not name it"),
    ("smbios=2", "Machine   To Be Filled By O.E.M. To Be Filled By O.E.M."),
    ("smbios=3", "Machine   cut"),
    ("smbios=4", "Machine   SMBIOS does not name it"),
    ("smbios=5", "- DIMMs have 4096 to 8192 MiB: "),
    ("no_acpi", None),
    ("tpm", r"- barecount\plan.cfg: the TPM did not take its measurement: EFI_DEVICE_ERROR"),
    ("still_timer", None),
    # any volume with the folder \barecount is used
    ("no_image", None),
    ("no_device", None),
    # a buffer may be on any node, not only on its CPU's node
    ("map=1", None),
)


MEASURED_DAILY = (0, 1, 3, 10, 11, 17, 18, 24, 25, 26, 29)

UUID = "01234567-89ab-cdef-8123-456789abcdef"


def told_now(rows, every_day):
    return [row for number, row in enumerate(rows) if FULL or number in every_day]


def check_numbers(found, cpus=1, names=NAMES, status=results.PASSED):
    expect.check_rows(found, cpus, expect.default_counts(), names=names)
    assert found.run["complete"] is True and found.status == status


@pytest.fixture(scope="module")
def measured(boot_shared, tmp_path_factory):
    lines = [lies for lies, _ in told_now(MEASURED, MEASURED_DAILY)]
    _, starts = told(boot_shared, tmp_path_factory.mktemp("measured"), lines, cpus=1,
                     more=("-uuid", UUID))
    return {start.lies: start for start in starts}


@pytest.mark.parametrize("lies, said", thinned(MEASURED, MEASURED_DAILY, "faults of firmware"))
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
    for lies, start in measured.items():
        date = start.found.run["started"]
        if lies.startswith("clock"):
            assert date == "", lies
        else:
            assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ?", date), (lies, date)
    folders = [start.folder for start in measured.values()]
    assert folders == [f"{i:04}" for i in range(1, len(folders) + 1)]


def test_a_slow_console_is_not_asked_for_more(measured):
    """On a slow console the program shows no progress, and writes each line at once."""
    quick, slow = measured["-"], measured["console_us=250000"]
    assert "Writing the results" in quick.text and "Writing the results" not in slow.text
    assert slow.calls["console"] <= len(slow.text.splitlines()) + 20  # some lines are empty


def test_a_machine_without_an_identity_has_none(measured):
    """The UUID is empty if all its bytes are 00H or all are FFH (DSP0134)."""
    for lies, start in measured.items():
        assert start.found.run["machine"]["uuid"] == ("" if "smbios" in lies else UUID), lies


def test_without_an_acpi_timer_that_ticks(measured):
    assert measured["-"].found.run["machine"]["tsc_measured_hz"] > 0
    for lies in "no_acpi", "still_timer":
        without = measured[lies].found.run["machine"]
        assert "tsc_measured_hz" not in without and "ACPI" not in without["tsc_source"]


# Each row: lies about four CPUs, the message, the measured CPUs, and the CPU that fails. Without
# CreateEvent() or SetTimer(), all CPUs are measured, but their starts are not watched.
OF_CPUS = (
    ("cpu_disabled=2", "- not measured: CPU 1: disabled by the firmware", (0, 2, 3), None),
    ("cpu_ill=12", "- not measured: CPU 2-3: not healthy", (0, 1), None),
    ("cpu_unknown=4 cpu_disabled=2", "- not measured: CPU 2: not described", (0, 3), None),
    ("cpu_dead=2", "! CPU 1: the firmware cannot start the CPU: exclude it with cpus= in the plan "
                   "(EFI_DEVICE_ERROR)", (0, 2, 3), 1),
    ("cpu_busy=8", "! CPU 3: the firmware cannot start the CPU: exclude it with cpus= in the plan "
                   "(EFI_NOT_READY)", (0, 1, 2), 3),
    ("start_waits", "- the firmware runs one CPU at a time (EFI_UNSUPPORTED)", (0, 1, 2, 3), None),
    ("event=1+", "! CPU 1 could not be set to watch the boot CPU: ", (0, 1, 2, 3), None),
    ("timer=1+", None, (0, 1, 2, 3), None),
    ("stall=20", None, (0, 1, 2, 3), None),
    ("gdt", None, (0, 1, 2, 3), None),
    ("global_pages", "- the firmware uses global pages (CR4.PGE), so ", (0, 1, 2, 3), None),
)
OF_CPUS_DAILY = (0, 3, 9, 10)


@pytest.fixture(scope="module")
def of_cpus(boot_shared, tmp_path_factory):
    plan = plan_text(kernels=KERNELS, runs=2, warmup=0, at_end="leave")
    _, starts = told(boot_shared, tmp_path_factory.mktemp("cpus"),
                     [lies for lies, *_ in told_now(OF_CPUS, OF_CPUS_DAILY)], plan=plan, cpus=4)
    return {start.lies: start for start in starts}


@pytest.mark.parametrize("lies, said, cpus, failing", thinned(
    OF_CPUS, OF_CPUS_DAILY, "faults of CPUs"))
def test_a_cpu_that_is_not_to_be_had(of_cpus, lies, said, cpus, failing):
    start = of_cpus[lies]
    check_order(start)
    assert start.status == SUCCESS
    if said:
        assert said in start.text
        assert any(text.startswith(said[2:]) for text in said_in_run(start.found))
    lost = [row for row in start.found.rows if row["cpu"] == str(failing)]
    start.found.rows = [row for row in start.found.rows if row not in lost]
    expect.check_rows(start.found, cpus, expect.default_counts(), names=NAMES)
    if failing is None:
        assert start.verdict == "PASS"
        assert len(errors_said(start)) == (said or "").startswith("!")
        return
    assert len(lost) == len(NAMES) * len(expect.ALL_ROWS)
    assert {row["verdict"] for row in lost} == {"timeout"}
    assert {row["reason"] for row in lost} == {"left out: this CPU did not answer earlier"}
    assert start.verdict == f"FAIL {len(lost)}"


@pytest.fixture(scope="module")
def searched(boot_shared, tmp_path_factory):
    lines = ("no_device by_hand connect=2 old_key", "no_device by_hand connect=1000",
             "no_device by_hand connect=1000 connect_us=300000 quit=2")
    _, starts = told(boot_shared, tmp_path_factory.mktemp("search"), lines, cpus=1)
    return {start.lies: start for start in starts}


@in_full("searches for a volume behind a thousand drivers")
def test_a_volume_behind_a_driver(searched):
    """A key that was pressed earlier, for the firmware's menu, does not end the search."""
    start = searched["no_device by_hand connect=2 old_key"]
    assert start.calls["connect"] == 2 and start.verdict == "PASS" and start.found
    assert "Looking for a volume with the folder \\barecount: device " in start.text


@in_full("searches for a volume behind a thousand drivers")
def test_a_key_ends_the_search_for_a_volume(searched):
    """After the key, the program connects no more controllers."""
    whole, ended = (searched[lies] for lies in list(searched)[1:])
    assert ended.calls["connect"] == 2 < whole.calls["connect"] / 5
    assert "a key ended the search for a volume with the folder \\barecount" in ended.text
    assert "a key ended" not in whole.text
    assert not whole.folder and not ended.folder


@pytest.mark.parametrize("mode, counted", thinned(
    [("serial", {"nops"}), ("parallel", set())], (0,), "mode with one CPU at a time"))
def test_firmware_that_runs_one_cpu_at_a_time(boot, tmp_path, mode, counted):
    plan = plan_text(kernels="nops,core_to_core", mode=mode, runs=2, at_end="leave")
    _, (start,) = told(boot, tmp_path, ["start_waits"], plan=plan, cpus=2)
    assert not errors_said(start)
    assert start.verdict == ("PASS" if counted else f"FAIL {len(start.found.rows)}")
    for row in start.found.rows:
        if row["kernel"] in counted:
            assert row["verdict"] in ("exact", "measured"), row
        else:
            assert (row["verdict"], row["reason"]) == (
                "unavailable", "mode=parallel and pairs need firmware that runs CPUs in parallel")
    assert {row["kernel"] for row in start.found.rows} == {"nops", "core_to_core"}


def test_global_pages_are_named(of_cpus):
    for lies, start in of_cpus.items():
        assert {cpu["global_pages_found"] for cpu in start.found.run["cpus"]} == {
            lies == "global_pages"}, lies


def test_the_firmwares_registers_are_put_back(of_cpus):
    for lie in "gdt", "global_pages":
        assert of_cpus[lie].acted[lie] == 4


@in_full("five levels of page tables")
@pytest.mark.parametrize("cpl", (0, 3))
def test_five_levels_of_page_tables(boot, tmp_path, cpl):
    """The liar sets five levels, because Debian's firmware uses four."""
    plan = plan_text(kernels="nops,load_store", runs=2, cpl=cpl, at_end="leave")
    _, (start,) = told(boot, tmp_path, ["five_levels"], plan=plan, cpus=1, props="la57=on")
    check_order(start)
    assert start.acted["five_levels"] == 1
    assert start.verdict == "PASS" and not errors_said(start)
    assert {row["verdict"] for row in start.found.rows} == {"exact", "measured"}


@in_full("150 kernels with a large GDT")
def test_a_large_gdt_lasts_for_many_kernels(boot, tmp_path):
    """All kernels share copies of the GDT, although each kernel has its own address space."""
    plan = plan_text(cpus="boot", runs=1, warmup=0, at_end="leave",
                     noise_ms=0) + "[kernels]\nloop_dec_jnz n=1..150+1\n"
    _, (start,) = told(boot, tmp_path, ["gdt"], plan=plan, cpus=1)
    check_order(start)
    assert start.acted["gdt"] == 1
    assert start.verdict == "PASS" and len({row["n"] for row in start.found.rows}) == 150
    assert "unavailable" not in {row["verdict"] for row in start.found.rows}


# Lies that make the console, files or memory fail -> the message. With `+`, all later calls fail
# too. If a start leaves its run unfinished, the next start writes the files of the unfinished run.
CANNOT_START = "barecount cannot start: the firmware has no memory left"
NO_KERNELS = "barecount cannot start: too little memory for its kernels ("
NO_RECORDS = "! the firmware has no memory left: the plan needs "
NO_BUFFER = "the firmware has no memory for buffers whose size or alignment is "
BUILT_IN = "the built-in plan is run"
OVERLOOKED = f"no plan was found, but a volume that may have it cannot be read; {BUILT_IN}"
# In the everyday tests, two kernels of the built-in plan are enough.
SHORT = "by_hand" if FULL else "quit=3 by_hand"
NO_PLAN = {f"{lies} {SHORT}": said for lies, said in (
    ("volume=1", "cannot be opened: EFI_DEVICE_ERROR; its files are not used"),
    ("handles=1", "! the firmware cannot list its volumes: EFI_OUT_OF_RESOURCES"),
    ("open=1", r": \barecount cannot be opened: EFI_DEVICE_ERROR; its files are not used"))}
LOSING = NO_PLAN | {f"{lies} by_hand": said for lies, said in (
    ("no_console", None),
    ("console=1+", None),
    ("open=2", r"! \barecount\kernels: not all of it can be read: EFI_DEVICE_ERROR"),
    ("open=3", r"! \barecount\skipped.csv cannot be read: EFI_DEVICE_ERROR"),
    ("open=4", r"! \barecount\results cannot be read: EFI_DEVICE_ERROR; if the last run "),
    ("open=5", r"\journal.bin cannot be read: EFI_DEVICE_ERROR; if the last run "),
    ("open=6", r"\run.json cannot be read: EFI_DEVICE_ERROR; if the last run "),
    ("open=14", r"! \barecount\events: EFI_DEVICE_ERROR"),
    ("write=1", r"\journal.bin could not be written: EFI_DEVICE_ERROR"),
    ("write=4+", r"\journal.bin could not be written: EFI_DEVICE_ERROR"),
    ("position=2", r"\journal.bin contains nothing readable: EFI_DEVICE_ERROR"),
    ("info=1+", "! results cannot be written to volume '' "),
    ("flush=1", r"\journal.bin could not be written: EFI_DEVICE_ERROR"),
    ("remove=1", r"\journal.bin could not be deleted: EFI_WARN_DELETE_FAILURE"),
    ("flush=5+", r"\journal.bin could not be written: EFI_DEVICE_ERROR"),
    ("file=104+", "! results cannot be written to volume 'BARECOUNT' "),
    ("pages=1", CANNOT_START),
    ("pages=5", "barecount cannot start: too little memory for 1 CPU ("),
    ("pages=8", "the firmware has no memory for the kernels' page tables"),
    ("pages=10", r"! \barecount\events\skylakex.csv: the firmware has no memory left"),
    ("write=19", r"\run.json could not be written: EFI_DEVICE_ERROR"),
    ("remove=1+", r"\results.csv could not be written: EFI_WARN_DELETE_FAILURE"),
    ("pages=12", NO_RECORDS),
    ("pool=1+", NO_BUFFER),
    ("map=2+", NO_BUFFER),
    ("kib=256", CANNOT_START),
    ("kib=2370", "the firmware has no memory for the kernels' page tables"),
    ("kib=2412", NO_RECORDS),
    ("open=25+", "could not be written: EFI_DEVICE_ERROR"),
    ("pages=6", NO_KERNELS),
    ("kib=1100", NO_KERNELS))}
# After EFI_UNSUPPORTED (3) or EFI_NO_MEDIA (12), a volume counts as one without a plan.
NO_VOLUME = [f"volume=1 volume_error={error} {SHORT}" for error in (3, 12)]
SILENT = [lies for lies, said in LOSING.items() if not said]


def check_loss(start, cpus=1):
    """Check that each failure is reported and that no `exact` row is wrong. If no error is
    reported, the results must be complete.
    """
    check_order(start)
    assert start.verdict or "cannot start" in start.text or start.lies in SILENT, start
    if start.status != SUCCESS:
        assert errors_said(start) or "cannot start" in start.text, start
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
    if not errors_said(start) and not (start.verdict or "").startswith("FAIL"):
        check_numbers(start.found, cpus)
    if start.found.run["plan"]["file"] == "":
        assert any(BUILT_IN in text for text in start.found.run["errors"]), start


@pytest.fixture(scope="module")
def losing(boot_shared, tmp_path_factory):
    left, starts = told(boot_shared, tmp_path_factory.mktemp("losing"), [*LOSING, *NO_VOLUME],
                        cpus=1)
    return left, {start.lies: start for start in starts}


@pytest.mark.parametrize("lies, said", LOSING.items())
def test_what_is_lost_is_said(losing, lies, said):
    start = losing[1][lies]
    check_loss(start)
    if said:
        assert said in start.text, start.text


@pytest.mark.parametrize("lies", NO_PLAN)
def test_a_plan_that_could_not_be_looked_for(losing, lies):
    """The volume with the plan cannot be searched, so the built-in plan runs. Its results go to the
    ESP.
    """
    start = losing[1][lies]
    said = NO_PLAN[lies].removeprefix("! ")
    assert start.part == "esp" and start.found.run["plan"]["file"] == ""
    assert OVERLOOKED in start.text
    assert "plan errors: 1; the rest of the plan applies" in start.text
    errors = start.found.run["errors"]
    assert sum(said in text for text in errors) == sum(OVERLOOKED in text for text in errors) == 1


@pytest.mark.parametrize("lies", NO_VOLUME)
def test_a_volume_that_is_none(losing, lies):
    """A drive has no medium, or an unknown file system."""
    start = losing[1][lies]
    assert start.part == "esp" and start.found.run["plan"]["file"] == ""
    assert start.found.run["errors"] == [] and "volume (" not in start.text, start.text


def test_a_file_that_could_not_be_replaced(losing):
    """The start with write=19 cannot write run.json. The next start, with remove=1+, cannot replace
    results.csv, and must not append to the file.
    """
    left, starts = losing
    folder = starts["write=19 by_hand"].folder
    lines = left.stick.read(f"barecount/results/{folder}/results.csv").splitlines()
    assert len(set(lines)) == len(lines) == 1 + len(NAMES) * len(expect.ALL_ROWS)


@pytest.mark.parametrize("lies", ["pool=1+ by_hand", "map=2+ by_hand"])
def test_without_memory_for_a_buffer(losing, lies):
    start = losing[1][lies]
    assert "the firmware has no memory for buffers whose size or alignment is " in start.text
    check_numbers(start.found, names=[name for name in NAMES if name != "load"],
                  status=results.PLAN_ERRORS)


@pytest.mark.parametrize("lies", SILENT)
def test_without_a_console_results_are_written(losing, lies):
    start = losing[1][lies]
    assert start.status == SUCCESS and start.text.strip() == ""
    check_numbers(start.found)


def test_a_full_volume_is_left_in_order(boot, tmp_path):
    """The journal is closed even if it fills the volume."""
    _, (start,) = told(boot, tmp_path, ["-"], cpus=1, leave_bytes=64 << 10)
    assert any(r"\results.csv could not be written: EFI_VOLUME_FULL" in line
               for line in errors_said(start))
    check_order(start)


@pytest.mark.parametrize("write", thinned([17, 18], (0,), "write to index.csv"))
def test_a_new_index_that_cannot_be_written(boot, tmp_path, write):
    """Write 17 is index.csv's header, and write 18 the run's line."""
    _, (start,) = told(boot, tmp_path, [f"write={write}"], cpus=1)
    assert any(r"\index.csv could not be written: EFI_DEVICE_ERROR" in line
               for line in errors_said(start)), start.text
    check_order(start)


@in_full("CPUs together without memory")
def test_cpus_together_without_memory(boot, tmp_path):
    plan = plan_text(kernels=KERNELS, runs=2, mode="parallel", at_end="leave")
    _, starts = told(boot, tmp_path, ["pages=16", "pages=20"], plan=plan, cpus=2)
    lost = 2 * len(NAMES)
    for start in starts:  # the first start lacks memory for CPUs' data, the second for results
        check_order(start)
        assert errors_said(start) == [
            "! kernels on several CPUs: the firmware has no memory left",
            f"! the run is incomplete: missing results, on all CPUs: {lost}"]
        assert (start.found.missing, start.verdict) == (lost, f"FAIL {lost}")
        assert not [error for error in start.found.run["errors"] if "cut off" in error]


NOT_FOUND, UNSUPPORTED, DEVICE_ERROR = 14, 3, 7


@pytest.mark.parametrize("error, refused", thinned(
    [(NOT_FOUND, 0), (UNSUPPORTED, 0), (DEVICE_ERROR, 1)], (2,), "errors of the variable"))
def test_secure_boot_that_cannot_be_read(boot, tmp_path, error, refused):
    """Without the variable SecureBoot there is no Secure Boot. After another error, Secure Boot may
    be on.
    """
    plan = plan_text(kernels="code", runs=2, at_end="leave") + "[code one]\ncode=90\n"
    _, (start,) = told(boot, tmp_path, [f"variable={error}"], plan=plan, cpus=1)
    check_order(start)
    said = [error for error in start.found.run["errors"] if "Secure Boot is on" in error]
    assert bool(said) == bool(refused)
    assert bool([row for row in start.found.rows if row["kernel"] == "one"]) != bool(refused)


@in_full("a kernel's result without memory")
def test_a_result_without_memory(boot, tmp_path):
    """A counter fails its test, so the run needs more passes. Their results need more memory than
    was reserved.
    """
    names = expect.some()
    plan = plan_text(kernels=",".join(names), at_end="leave")
    _, (start,) = told(boot, tmp_path, ["pages=16+"], plan=plan, cpus=2, props="pmu-gp-msr=0x187")
    check_order(start)
    no_memory = "the firmware has no memory left"
    said = re.findall(rf"! CPU 1, (\w+): {no_memory}", start.text)
    rows = [row for row in start.found.rows if row["cpu"] == "1"]
    assert said[0] == "calibration" and names[-1] in said and start.found.missing == 0
    assert {row["kernel"] for row in rows if row["reason"] == no_memory} == set(said[1:])
    assert {row["kernel"] for row in rows} == set(names) and start.verdict == f"FAIL {len(rows)}"


def test_without_a_serial_line_and_a_screen(boot):
    left = boot(cpus=1, serial=False, plan=plan_text(kernels=KERNELS, runs=2))
    assert left.console == "" and left.results.verdict_line == "PASS"
    check_numbers(left.results)


# The kinds of calls that fail. If there are more than STARTS_MAX calls of a kind, only every n-th
# of them fails. `remove` is missing, since only an unfinished run makes the program remove files
# (see LOSING).
SWEPT = ("pages", "pool", "map", "event", "timer", "handles", "volume", "open", "read", "write",
         "position", "info", "flush", "file")
STARTS_MAX = 60
# The program calls `event` and `timer` when it starts other CPUs.
WITH_EVENTS = plan_text(kernels=KERNELS, runs=2, warmup=0, at_end="leave", mode="parallel")


@in_soak("hundreds of starts, in each of which one call of the firmware fails")
@pytest.mark.parametrize("kind", SWEPT)
def test_each_call_fails_in_turn(boot, tmp_path, kind):
    """The first start counts the calls, and no call fails.

    If a volume fails during a kernel, later starts leave the kernel out, as if it had stopped the
    machine.
    """
    events = kind in ("event", "timer")
    spec, cpus = ({"plan": WITH_EVENTS}, 2) if events else ({}, 1)
    by_hand = "" if events else " by_hand"  # with the boot CPU only
    (tmp_path / "calls").mkdir()
    _, (start,) = told(boot, tmp_path / "calls", [f"{kind}=0{by_hand}"], cpus=2, **spec)
    check_numbers(start.found, cpus)
    assert start.status == SUCCESS and start.verdict == "PASS"
    calls = start.calls[kind]
    chosen = range(1, calls + 1, -(-calls // STARTS_MAX))
    lines = [f"{kind}={n}{more}{by_hand}" for n in chosen for more in ("", "+")]
    (tmp_path / "swept").mkdir()
    _, starts = told(boot, tmp_path / "swept", lines, timeout_s=3600, cpus=2, **spec)
    for start in starts:
        check_loss(start, cpus)
