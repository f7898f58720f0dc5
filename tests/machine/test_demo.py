# SPDX-License-Identifier: BSD-2-Clause
"""The demonstration runs the image and barecount-linux on a model machine, and compares counts."""
import collections
import csv
import pathlib
import re
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts/lib"), str(TOP / "tests/image")]
sys.dont_write_bytecode = True

import expect  # noqa: E402
import linux_session  # noqa: E402
import own_kernels  # noqa: E402
import results  # noqa: E402
from conftest import plan_text  # noqa: E402
from levels import in_full, thinned  # noqa: E402
import documents  # noqa: E402
import run_schema  # noqa: E402
import test_amd  # noqa: E402

CPUS = 2
START_PERCENT = 0.3  # of the longest loop's count; the cost of starting a program varies by less
# Declared events that no fixed counter counts.
GENERAL = [event for event in expect.GENERAL if event in expect.DECLARED and
           event != "INST_RETIRED.ANY_P"]
KERNELS = ("empty", "nops", "call_ret", "load_store")
DEMO_S = 900  # each part takes half a minute on an idle host
CHASES = 100000, 200000
LOOPS = [2000 * 2 ** i for i in range(5)]  # scripts/demo.cfg
# Events of scripts/demo.cfg -> the name of the declared count. Events of OWN count in the kernel's
# ring, and events of BOTH in both rings.
OWN = {"INST_RETIRED.ANY": "instructions", "INST_RETIRED.ANY_P": "instructions",
       "BR_INST_RETIRED.ALL_BRANCHES": "branches", "BR_INST_RETIRED.NEAR_TAKEN": "taken_branches",
       "MEM_INST_RETIRED.ALL_LOADS": "loads", "MEM_INST_RETIRED.ALL_STORES": "stores"}
BOTH = {"Instructions": "instructions", "Branches": "branches", "Loads": "loads"}


class Demo:
    def __init__(self, out, said, status):
        self.out, self.said, self.status = out, said, status
        self.bare = run_schema.read(out / "bare-metal")
        self.linux = run_schema.read(out / "linux/0001")


# CPU -> the number of slots in each pass of the built-in events. On Zen 2 (EPYC-Rome) no counter
# counts reference cycles.
AMDS = {"EPYC-Genoa": [6, 5], "EPYC-Rome": [6, 4]}


def demonstrated(folder, *options):
    (folder / "probe.bin").write_bytes(own_kernels.loop())
    plan = (TOP / "scripts/demo.cfg").read_text("ascii")
    (folder / "plan.cfg").write_text(plan.replace("\nknown\n", "\nknown\nstick\n"), "ascii")
    done = subprocess.run([TOP / "scripts/demo", "--out", folder / "out", "--plan",
                           folder / "plan.cfg", "--kernel", folder / "probe.bin", *options],
                          capture_output=True, text=True, timeout=DEMO_S, check=False)
    print(done.stdout, done.stderr)
    return Demo(folder / "out", done.stdout, done.returncode)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return demonstrated(tmp_path_factory.mktemp("demo"))


def places(found):
    """event -> (CPU, kernel, n) -> row"""
    by_event = collections.defaultdict(dict)
    for row in found.rows:
        by_event[row["event"]][int(row["cpu"]), row["kernel"], int(row["n"])] = row
    return by_event


def declarations():
    """(CPU, kernel, n) -> {name of a count: the declared number}"""
    known = {(kernel.name, kernel.default_n): kernel.declared for kernel in expect.kernels()}
    loop, = [kernel.declared for kernel in expect.kernels() if kernel.name == "loop_dec_jnz"]
    known |= {("loop_dec_jnz", n): loop for n in LOOPS}
    # as in LOOP_DECLARED of tests/image/own_kernels.py
    known["probe", 1000] = {"instructions": (1, 2), "branches": (0, 1), "taken_branches": (-1, 1),
                            "loads": (0, 0), "stores": (0, 0)}
    return {(cpu, name, n): {count: c0 + c1 * n for count, (c0, c1) in counts.items()}
            for cpu in range(CPUS) for (name, n), counts in known.items()}


def check_exact(found, events):
    rows, checked = places(found), 0
    for place, counts in declarations().items():
        for event, count in events.items():
            row = rows[event][place]
            if count in counts:
                right = str(counts[count])
                assert [row["min"], row["median"], row["max"], row["expected"]] == [right] * 4, row
                assert row["verdict"] == "exact" and int(row["runs"]) >= 10, row
                checked += 1
    assert checked > CPUS * len(events) * 15


def test_bare_metal_is_exact(demo):
    check_exact(demo.bare, OWN | BOTH)
    assert demo.bare.status == results.PASSED and demo.status == 0
    declared = sum(bool(row["expected"]) for row in demo.bare.rows)
    assert f"PASS: {declared:,} of {declared:,} declared counts are exact" in demo.said


def test_user_mode_is_exact_under_linux(demo):
    check_exact(demo.linux, OWN)
    assert {row["ring"] for row in demo.linux.rows if row["event"] in OWN} == {"usr"}
    assert demo.linux.run["source"] == "linux" and demo.bare.run["source"] == "bare metal"


def test_what_linux_adds_is_shown(demo):
    rows, declared = places(demo.linux), declarations()
    for event, count in BOTH.items():
        longest = [(cpu, "loop_dec_jnz", LOOPS[-1]) for cpu in range(CPUS)]
        for place in longest:
            assert rows[event][place]["ring"] == "both"
            assert float(rows[event][place]["mean"]) > declared[place][count], (event, place)
        right = {place: counts[count] for place, counts in declared.items() if count in counts}
        added = sum(float(rows[event][place]["mean"]) - right[place] for place in right)
        seconds = sum(float(rows["TSC"][place]["mean"]) for place in right) / \
            demo.linux.run["machine"]["tsc_hz"]
        line, = re.findall(rf"^  {event} +(\S+) +(\S+) +\S+% +(\S+)  \S", demo.said, re.M)
        shown = [int(number.replace(",", "")) for number in line]
        assert shown[0] > 0 and abs(shown[0] - added) <= 1, (shown, added)
        assert shown[1] == sum(right.values())
        assert abs(shown[2] - added / seconds) <= 1


def test_times_are_printed_as_a_ratio(demo):
    line, = re.findall(r"the results are written +([\d.]+) +([\d.]+) +([\d.]+)$", demo.said, re.M)
    bare, linux, ratio = map(float, line)
    elapsed_s = demo.bare.run["elapsed_us"] / 1e6
    assert bare > elapsed_s and linux > 1
    assert abs(ratio - linux / bare) < 0.02


def test_what_is_left(demo):
    assert demo.said.count("\n") <= 40, demo.said
    for name in ("compare.txt", "report.html", "linux.log", "bare-metal.log", "plan.cfg"):
        assert (demo.out / name).stat().st_size > 0, name
        assert name in demo.said or name.endswith(".log") and "*.log" in demo.said
    assert "loop_dec_jnz" in (demo.out / "report.html").read_text("utf-8")


def masked(text):
    """A demonstration's output, without the parts that differ between two runs: numbers, Linux's
    version, the kernel with the largest difference, and the verdicts of the comparison."""
    text = re.sub(r"(?<=Linux )\d[^ ,]*|\S+ n=\d+, CPU \d+: |(?<=rings|alone) +\d.*", "", text)
    return re.sub(r" +", " ", re.sub(r"[+-]?\d[\d,.]*", "#", text)).splitlines()


def test_the_sample_in_docs(demo):
    """docs/linux.md shows this output. Numbers may differ, and lines `tax of` may be missing."""
    sample, = [block.text for block in documents.blocks(TOP / "docs/linux.md", "text")]
    plan = str(demo.out.parent / "plan.cfg")
    said = masked(demo.said.replace(plan, "scripts/demo.cfg").replace(str(demo.out), "build/demo"))
    told, taxes = ([line for line in said if ("tax of" in line) is tax] for tax in (False, True))
    assert told == [line for line in masked(sample) if "tax of" not in line]
    assert set(taxes) <= set(masked(sample))


@pytest.fixture(scope="module")
def linux(tmp_path_factory):
    with linux_session.session(tmp_path_factory.mktemp("linux"), CPUS) as running:
        yield running


def test_each_cpu_is_exact_in_three_passes(linux):
    _, _, found = linux.measure(plan_text(kernels=",".join(KERNELS)))
    linux_session.check_known(found, KERNELS, range(CPUS))
    assert linux_session.slots_of(found) == [4, 4, 2]
    assert not [sample for sample in found.samples
                if sample["accepted"] == "1" and "multiplexed" in sample["evidence"]]


def test_rdpmc_counts_the_same(linux):
    """method=deltas: the kernel's own process reads counters without a system call."""
    _, _, found = linux.measure(plan_text(kernels=",".join(KERNELS), method="deltas", cpus="1"))
    assert found.run["linux"]["read_by"] == "rdpmc"
    linux_session.check_known(found, KERNELS, [1])


# AMD's events of branches also count the interrupts that Linux takes in a window.
NOT_INTERRUPTS = {"RETIRED_INSTRUCTIONS": "instructions"}


@pytest.fixture(scope="module", params=thinned(list(AMDS), (0,), "AMD's CPUs under Linux"))
def amd(request, tmp_path_factory):
    with linux_session.session(tmp_path_factory.mktemp("amd"), CPUS, cpu=request.param) as running:
        yield running, AMDS[request.param]


def check_bounds(found, verdict, cpus):
    """Counts of loads and stores equal their lower bound, because the model does not speculate."""
    for cpu in cpus:
        for kernel in KERNELS:
            for event, count in test_amd.AT_LEAST.items():
                right = expect.declared(kernel, count)
                row = expect.row_of(found, kernel, event, cpu)
                assert row["verdict"] == verdict and row["median"] == str(right), row
                assert row["expected"] == (f"{right}.." if verdict == "within" else ""), row


def test_amds_cpus(amd):
    """A pass uses all six counters, even without PerfMonV2. With the NMI watchdog, a pass uses five
    counters.
    """
    linux, slots = amd
    _, _, found = linux.measure(plan_text(kernels=",".join(KERNELS)))
    linux_session.check_known(found, KERNELS, range(CPUS), declared=NOT_INTERRUPTS)
    check_bounds(found, "within", range(CPUS))
    assert linux_session.slots_of(found) == slots
    with linux.setting("nmi_watchdog", 1):
        _, said, found = linux.measure(plan_of([*test_amd.EXACT, *test_amd.AT_LEAST]))
    assert re.search("watchdog holds a counter", said)
    linux_session.check_known(found, ["nops"], [0], declared=NOT_INTERRUPTS)
    assert linux_session.slots_of(found) == [5, 2]  # cycles are counted too


def test_rdpmc_on_amd(amd):
    """If the cost of the window is not declared, loads and stores have no lower bound."""
    _, _, found = amd[0].measure(plan_text(kernels=",".join(KERNELS), method="deltas", cpus="1"))
    linux_session.check_known(found, KERNELS, [1], declared=NOT_INTERRUPTS)
    check_bounds(found, "measured", [1])


@in_full("the demonstration on AMD's CPUs")
@pytest.mark.parametrize("cpu", list(AMDS))
def test_the_demonstration_on_amd(tmp_path, cpu):
    found = demonstrated(tmp_path, "--cpu", cpu)
    assert found.bare.status == results.PASSED
    check_exact(found.bare, {**test_amd.EXACT, "Instructions": "instructions",
                             "Branches": "branches"})
    check_exact(found.linux, NOT_INTERRUPTS)
    assert re.search(r"([\d,]+) of \1 lower bounds hold", found.said)
    assert re.search(r"^  Branches +\d", found.said, re.M)
    assert not re.search(r"^  Loads +\d", found.said, re.M), "nothing is declared for them"
    assert re.search(r"in the kernels' ring alone +\d+ same", found.said)


def plan_of(events, **keys):
    return plan_text(kernels="nops", cpus="0", runs=2, noise_ms=0, **keys) + \
        "[events some]\n" + "".join(f"{event}\n" for event in events)


def test_the_watchdog_is_said_and_leaves_a_counter_less(linux):
    with linux.setting("nmi_watchdog", 1):
        _, said, found = linux.measure(plan_of(GENERAL))
    assert re.search("watchdog holds a counter", said)
    assert linux_session.sysctl_of(said) == {"nmi_watchdog": "0"}
    assert found.run["linux"]["nmi_watchdog"] is True
    assert linux_session.slots_of(found) == [3, 1]
    linux_session.check_known(found, ["nops"], [0], GENERAL)
    _, said, found = linux.measure(plan_of(GENERAL))
    assert "watchdog holds" not in said and found.run["linux"]["nmi_watchdog"] is False
    assert linux_session.slots_of(found) == [4]


def test_what_the_machine_says_of_itself_is_heeded(linux):
    without = "cpu/event=0x24,umask=0x3f,name=NoRule/"
    _, said, found = linux.measure(plan_of([*GENERAL[:1], without]))
    row = expect.row_of(found, "nops", "NoRule")
    assert row["verdict"] == "unavailable" and row["reason"].startswith("not modelled: "), row
    linux_session.check_known(found, ["nops"], [0], GENERAL[:1])
    assert said.count("emulated: by formula") == 2
    assert found.run["machine"]["emulated"] == "by formula"
    assert not [text for text in found.run["remarks"] if "0 in all kernels" in text]


def test_counters_that_others_hold_are_no_numbers(linux):
    masks = ("0xc4,umask=0", "0x3c,umask=1", "0x2e,umask=0x4f", "0x2e,umask=0x41")
    with linux.counters_taken([f"cpu/event={mask}/" for mask in masks]):
        _, _, found = linux.measure(plan_of(GENERAL[:2]))
    assert {row["event"] for row in found.rows} >= set(GENERAL[:2])
    for row in found.rows:
        assert row["verdict"] == "unavailable" and not row["median"], row
        assert "perf has no counter left" in row["reason"], row


@pytest.mark.parametrize("paranoid", [3, 4])
def test_a_user_who_may_not_count_is_told_why(linux, paranoid):
    """If kernel.perf_event_paranoid is 3 or more, Debian's kernel allows perf only to root."""
    with linux.setting("perf_event_paranoid", paranoid):
        status, said, _ = linux.measure(plan_text(kernels="nops"), user="user")
    assert status == results.HOST_ERROR
    assert re.search(rf"perf_event_paranoid is {paranoid}\b", said)
    assert int(linux_session.sysctl_of(said)["perf_event_paranoid"]) <= 2


def test_a_user_who_may_count(linux):
    with linux.setting("perf_event_paranoid", 2):
        status, _, found = linux.measure(plan_text(kernels="nops", cpus="0"), user="user")
    row = expect.row_of(found, "nops", "INST_RETIRED.ANY")
    assert status == results.PASSED and row["verdict"] == "exact"


def test_kernels_of_ones_own(linux):
    status, said, found = linux.measure(
        plan_text(kernels="crash,hang,probe,nops", timeout_ms=3000), "--kernels /kernels")
    assert status == results.FAILED
    assert not own_kernels.wrong_rows(found, "probe", CPUS)
    assert f"! crash on CPUs 0-{CPUS - 1}: fault, all " in said
    assert f"! hang on CPUs 0-{CPUS - 1}: timeout, all " in said
    for cpu in map(str, range(CPUS)):
        for kernel, verdict, words in (("crash", "fault", "#UD"), ("hang", "timeout", "limit")):
            rows = [row for row in found.rows if (row["cpu"], row["kernel"]) == (cpu, kernel)]
            assert rows and {row["verdict"] for row in rows} == {verdict}
            assert all(words in row["reason"] for row in rows), rows
        assert expect.row_of(found, "nops", "INST_RETIRED.ANY", int(cpu))["verdict"] == "exact"


def test_perf_stat_around_a_chase(linux):
    counted, words = [], "perf stat -x, -e instructions:u barecount-linux --once chase_random"
    with linux.setting("randomize_va_space", 0):
        for n in CHASES:
            said = linux.run(f"{words} size=64K n={n}")
            counted.append(int(re.search(r"^(\d+),", said, re.M)[1]))
    chase, = [kernel for kernel in expect.all_kernels() if kernel.name == "chase_random"]
    more = chase.declared["instructions"][1] * (CHASES[1] - CHASES[0])
    assert counted[1] - counted[0] == pytest.approx(more, rel=START_PERCENT / 100)


def compared(demo, files, out):
    """Compare perf with bare metal: how much a loop's counts grow from a small n to a large n.

    Returns the status of scripts/compare, and event -> (difference, verdict).
    """
    done = subprocess.run(
        [TOP / "scripts/compare", demo.out / "bare-metal", files[0], "--kernel", "loop_dec_jnz",
         "--n", str(LOOPS[-1]), "--less", files[1], "--less-n", str(LOOPS[0]), "--csv", out,
         "--tolerance", str(START_PERCENT)],
        capture_output=True, text=True, timeout=60, check=False)
    print(done.stdout, done.stderr)
    with open(out, encoding="utf-8") as file:
        return done.returncode, {row["event"]: (float(row["difference"]), row["verdict"])
                                 for row in csv.DictReader(file) if row["other"]}


@in_full("perf stat compared with bare metal")
def test_perf_stat_is_compared_with_bare_metal(demo, linux, tmp_path):
    """perf's counts at two n differ by as much as on bare metal.

    A loop with 1 % too many iterations is reported. perf's counts include some tens of instructions
    that start the program.
    """
    more = (LOOPS[-1] - LOOPS[0]) // 100
    files = {n: tmp_path / f"perf-{n}.csv" for n in (LOOPS[0], LOOPS[-1], LOOPS[-1] + more)}
    with linux.setting("randomize_va_space", 0):
        for n, file in files.items():
            said = linux.run("perf stat -x, -e instructions:u,branches:u barecount-linux "
                             f"--once loop_dec_jnz --n {n:08}")
            file.write_text(said + "\n", "ascii")
    short, right, wrong = files.values()
    status, counts = compared(demo, (right, short), tmp_path / "right.csv")
    assert status == 0 and len(counts) == 2, counts
    assert {verdict for _, verdict in counts.values()} == {"same"}
    status, counts = compared(demo, (wrong, short), tmp_path / "wrong.csv")
    assert status == 1 and {verdict for _, verdict in counts.values()} == {"high"}
    for (difference, _), each in zip(sorted(counts.values()), (1, 2)):
        assert abs(difference - each * more) <= each * LOOPS[-1] * START_PERCENT / 100
