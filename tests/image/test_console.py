# SPDX-License-Identifier: BSD-2-Clause
"""The console: the first screen, the menu, keys on the serial line and the keyboard."""
import re

import documents
import expect
import pytest
import results
from conftest import DEFAULT_CPUS, SHORT, SHORT_MENU, TOP, plan_text
from levels import in_full, thinned

MENU = r"R run again"
QUICK = r"(?i:(\w)  barecount\\plans\\quick\.cfg)"
POWERED_OFF = "qemu_system_shutdown_request"  # QEMU's event of a shutdown, but not of a reset
TRACE_END = {"traced": True, "more": ("-trace", POWERED_OFF)}


def times(pattern, count):
    return r"[\s\S]*".join([pattern] * count)


def was_powered_off(left):
    return POWERED_OFF in left.trace.read_text()


def test_first_screen(default_boot):
    first = default_boot.console.split("CPU 0  empty")[0]
    for part in ("barecount", "Skylake", "version 4", "plan.cfg", "about", "results\\0001",
                 "writes only under \\barecount", "Esc"):
        assert part in first, part
    pmu = default_boot.results.run["cpus"][0]["pmu"]
    fixed = f"{int(pmu['fixed_counters'], 16):b}".count("1")
    assert (f"version {pmu['version']}: {pmu['general_counters']} counters of "
            f"{pmu['general_width_bits']} bits, {fixed} fixed ones of "
            f"{pmu['fixed_width_bits']} bits\n") in first


NO_COPIES = ("empty", "nop_1", "nops", "rep_movsb")
HEADINGS = {
    "instr": "INST_RETIRED.ANY_P", "branches": "BR_INST_RETIRED.ALL_BRANCHES",
    "loads": "MEM_INST_RETIRED.ALL_LOADS", "stores": "MEM_INST_RETIRED.ALL_STORES",
    "cycles": "CPU_CLK_UNHALTED.THREAD_P"}


def test_the_table(default_boot):
    table = default_boot.console.split("Medians of 100 runs\n")[1].split("CPU 0 ran at")[0]
    _, heading, *lines = [line.split() for line in table.splitlines()
                          if line[:4] not in ("", "CPU ")]
    assert heading == ["kernel", "cyc/copy", *HEADINGS, "verdict"]
    assert [line[0] for line in lines] == [kernel.name for kernel in expect.kernels()]
    medians = {(row["kernel"], row["event"]): row["median"]
               for row in default_boot.results.rows if row["cpu"] == "0"}
    copies = {row["kernel"]: row["per_copy"] for row in default_boot.results.rows
              if row["cpu"] == "0" and row["event"] == "CPU_CLK_UNHALTED.THREAD"}
    for kernel, copy, *values, verdict in lines:
        assert (copy == "-") == (kernel in NO_COPIES)
        assert copy.lstrip("~") == (f"{float(copies[kernel]):.2f}" if copies[kernel] else "-")
        assert values == [medians[kernel, event].partition(".")[0] for event in HEADINGS.values()]
        assert verdict == "exact"


README_CPUS = 4


def expected(line):
    """The words that the console must show for a line of README's sample.

    README counts rows for README_CPUS CPUs, and the test runs on DEFAULT_CPUS CPUs. Cycles may
    differ by 1 %, since kernels that ran earlier can cause or avoid a misprediction.
    """
    words = line.split()
    if words[0] == "Rows":
        return [str(int(word) * DEFAULT_CPUS // README_CPUS) if word.isdecimal() else word
                for word in words]
    if words[-1] == "exact":
        copy = words[1] if words[1] == "-" else pytest.approx(float(words[1]), rel=0.01)
        return [words[0], copy, *words[2:6], pytest.approx(int(words[6]), rel=0.01), words[7]]
    return words


def printed(line):
    words = line.split()
    if len(words) == 8 and words[-1] == "exact":
        words[1] = words[1] if words[1] == "-" else float(words[1].lstrip("~"))
        words[6] = int(words[6])
    return words


def test_the_sample_in_readme(default_boot):
    sample = documents.blocks(TOP / "README.md", "text")[0].text
    lines = iter([printed(line) for line in default_boot.console.splitlines()])
    for line in sample.splitlines():
        assert expected(line) in lines, line


def test_the_clock_below_the_table(default_boot):
    """The console shows the clocks of run.json, rounded to 0.1 MHz. In the model, a cycle takes one
    tick of the TSC.
    """
    said = re.findall(r"^CPU 0 ran at ([\d.]+) MHz \(core/reference cycles x ([\d.]+) MHz\)$",
                      default_boot.console, re.M)
    clock = default_boot.results.run["cpus"][0]["clock"]
    assert clock["mhz"] == pytest.approx(clock["base_mhz"], rel=1e-5)
    assert [[float(word) for word in mhz] for mhz in said] == [
        pytest.approx([clock["mhz"], clock["base_mhz"]], abs=0.051)]


@in_full("the announced time, with -icount")
def test_the_time_that_it_takes_is_about_right(boot):
    """The announced time is right within a factor of three.

    With icount=6 an instruction takes 64 ns of the machine's time. Only the time that the program
    waits for the firmware depends on the host.
    """
    left = boot(cpus=2, icount=6, plan=plan_text(runs=20))
    about, took = (float(re.search(pattern, left.console, re.M)[1]) for pattern in (
        r"^Time +about (\d+) s", r"^Time +([\d.]+) s"))
    assert took / 3 <= about <= 3 * took


def test_nothing_is_written_to_msrs_before_the_first_screen(boot):
    """The trace shows in which order MSRs are written and bytes are sent to the serial port."""
    left = boot(traced=True, cold=True, props="pmu-left-running=on", cpus=2, plan=SHORT,
                more=("-trace", "serial_write"))
    text, written = "", []
    for line in left.trace.read_text().splitlines():
        if found := re.search(r"serial_write write addr 0x00 val 0x([0-9a-f]{2})", line):
            text += chr(int(found[1], 16))
            if text.endswith("Keys      Esc ends"):
                break
        elif found := re.search(r"pmu_model_wrmsr cpu \d+ msr 0x([0-9a-f]+)", line):
            written.append(int(found[1], 16))
    else:
        assert False, "the first screen is not in the trace"
    assert written, "the firmware wrote to no MSR"
    ours = expect.PMU_MSRS | set(range(0x800, 0x900))
    assert not [hex(msr) for msr in written if msr in ours]
    assert left.verdict == "PASS"


@in_full("Esc on a serial line, which firmware takes seconds to recognize")
def test_escape_ends_after_the_kernel_in_progress(boot):
    """Each kernel that has begun runs to its end.

    The firmware needs 2 s to tell Esc from an escape sequence. The firmware's clock stops while
    interrupts are off, so a few more kernels run before the firmware reports Esc.
    """
    left = boot(plan=plan_text(runs=100, n=5000), cpus=2,
                keys=[(r"CPU 0  loop_dec_jnz", b"\x1b")])
    check_escape(left)


def test_q_ends_at_once_on_a_serial_line(boot):
    left = boot(plan=plan_text(runs=100, n=15000), cpus=2, keys=[(r"CPU 0  loop_dec_jnz", b"q")])
    assert check_escape(left)[-1] in ("loop_dec_jnz", "guide_loop_4")


def check_escape(left):
    """Check that the run ended early and each of its kernels is complete. Returns these kernels."""
    found = left.results
    assert found.run["complete"] is True and found.run["stopped_by_user"] is True
    planned = [(cpu, kernel.name) for cpu in "01" for kernel in expect.kernels()]
    done = [(row["cpu"], row["kernel"]) for row in found.rows[::len(expect.ALL_ROWS)]]
    assert done == planned[: len(done)] and len(done) < len(planned)
    assert len(found.rows) == len(done) * len(expect.ALL_ROWS)
    assert re.findall(r"CPU (\d)  (\S+)  \d+ of", left.console)[-1] == done[-1]
    assert "ended early by a key" in left.console
    assert left.verdict == "PASS" and found.status == results.PASSED
    return [kernel for _, kernel in done]


@in_full("Esc on a keyboard")
def test_keyboard(boot):
    """With a screen, Esc ends the run within two kernels."""
    left = boot(plan=plan_text(runs=100, n=15000, at_end="menu"), cpus=2, screen=True,
                keys=[(r"CPU 0  loop_dec_jnz", "esc"), (MENU, "s")], **TRACE_END)
    assert check_escape(left)[-1] in ("loop_dec_jnz", "guide_loop_4")
    assert was_powered_off(left) and "Shuts down in 2 s" not in left.console


# A sample of the kernel `load` takes minutes here.
HOURS = plan_text(cpus="boot", runs=100, at_end="menu") + "[kernels]\nnops\nload n=1000000000\n"
WAITS = r"Starts in (10|\d) s"


def test_a_run_of_hours_waits_for_a_person(boot):
    left = boot(plan=HOURS, screen=True, new_runs=1, keys=[
        (WAITS, "esc"), (MENU, "p"), (QUICK + r"[\s\S]*plan's digit or letter",
                                      lambda found: found[1].lower()),
        (times(MENU, 2), "s")], **TRACE_END)
    first = left.console.split(MENU)[0]
    assert re.search(r"Time +about \d+ h \d\d min\n +any key starts the run now; Esc or Q goes to "
                     "the menu", first)
    assert "writes only under" not in first and was_powered_off(left)
    assert "quick.cfg" in left.results.run["plan"]["file"].lower()


@in_full("at_end= before a run of hours")
@pytest.mark.parametrize("at_end, what", [("shutdown", "Shuts down"), ("reboot", "Reboots"),
                                          ("leave", "Leaves")])
def test_the_menu_before_a_run_of_hours_heeds_at_end(boot, at_end, what):
    left = boot(plan=HOURS.replace("at_end=menu", f"at_end={at_end}"), screen=True, new_runs=None,
                keys=[(WAITS, "esc"), (rf"{what} in 29 s", "s")], **TRACE_END)
    assert was_powered_off(left)


@in_full("the menu's wait of half a minute")
def test_what_the_menu_does_by_itself_before_a_run_of_hours(boot):
    plan = HOURS.replace("at_end=menu", "at_end=reboot")
    left = boot(plan=plan, screen=True, new_runs=None, keys=[(WAITS, "esc")], **TRACE_END)
    assert "Reboots in 30 s" in left.console and not was_powered_off(left)
    boot(plan=HOURS.replace("at_end=menu", "at_end=leave"), screen=True, new_runs=None,
         keys=[(WAITS, "esc")], cut_at=r"Leaves in 30 s[\s\S]*EFI Internal Shell")


@in_full("the start of a run of hours")
@pytest.mark.parametrize("screen, keys", [(True, [(WAITS, "spc")]), (False, [])],
                         ids=["key", "serial"])
def test_a_run_of_hours_starts(boot, screen, keys):
    left = boot(plan=HOURS, screen=screen, keys=keys, cut_at="CPU 0  nops", new_runs=None)
    assert bool(re.search(WAITS, left.console)) == screen
    assert "Starts in 2 s" not in left.console


def test_run_again(boot):
    left = boot(plan=SHORT_MENU, new_runs=2,
                keys=[(r"Shuts down in 28 s", b"R"), (times(MENU, 2), b"s")], **TRACE_END)
    for line in (r"^CPU 0, boot CPU, counts", r"^kernel .*verdict$", r"^nops +- +1000 .*exact$"):
        assert len(re.findall(line, left.console, re.M)) == 2, line
    first, second = left.run("0001"), left.run("0002")
    assert first.status == second.status == results.PASSED
    assert first.run["started"] < second.run["started"]
    assert was_powered_off(left)


def test_choose_a_plan(boot):
    """A wrong key closes the list of plans. The countdown's line is erased before the list appears.
    """
    left = boot(plan=SHORT_MENU, new_runs=2, keys=[
        (MENU, b"p"), (r"plan's digit or letter", b"x"), (times(MENU, 2), b"p"),
        (times(QUICK + r"[\s\S]*plan's digit or letter", 2), lambda found: found[2].encode()),
        (times(MENU, 3), b"s")])
    assert len(re.findall(rb"Shuts down in \d+ s +\r\r +\r\r\n  0  barecount", left.raw)) == 2
    plan = left.run("0002").run["plan"]
    assert "quick.cfg" in plan["file"].lower() and (plan["runs"], plan["cpus"]) == (10, 1)
    assert len(left.run("0002").rows) == len(expect.kernels()) * len(expect.ALL_ROWS)


def test_menu_reboots(boot):
    left = boot(plan=SHORT_MENU, keys=[(MENU, b"b")], **TRACE_END)
    assert not was_powered_off(left)


@in_full("leaving from the menu")
def test_menu_leaves(boot):
    boot(plan=SHORT_MENU, keys=[(MENU, b"l")], cut_at=r"PASS[\s\S]*Boot Manager")


@pytest.mark.parametrize("at_end, off", thinned(
    [("shutdown", True), ("reboot", False)], (1,), "at_end="))
def test_at_end(boot, at_end, off):
    left = boot(plan=SHORT.replace("shutdown", at_end), **TRACE_END)
    assert was_powered_off(left) == off
    assert left.results.status == results.PASSED and "R run again" not in left.console


@in_full("leaving at the end")
def test_at_end_leave(boot):
    left = boot(plan=SHORT.replace("shutdown", "leave"), cut_at=r"PASS[\s\S]*Boot Manager")
    assert left.results.status == results.PASSED and "R run again" not in left.console


@in_full("the menu's wait of half a minute")
def test_menu_powers_off_by_itself(boot):
    """With -icount, waiting takes no host time."""
    left = boot(plan=SHORT_MENU, cpus=1, icount=7, **TRACE_END)
    assert re.findall(r"Shuts down in (\d+) s", left.console) == [str(s) for s in range(30, 0, -1)]
    assert was_powered_off(left)
