# SPDX-License-Identifier: BSD-2-Clause
"""The plan trust, and what scripts/trust concludes from it about machines that lie."""
import csv
import random
import re
import subprocess

import documents
import pytest
import results
from conftest import IMAGE, TOP
from levels import in_full, thinned
from machine import program
from machine import stick as sticks
from trust import kinds

PLAN = program.ending((TOP / "scripts/plans/trust.cfg").read_text("ascii"), "shutdown").replace(
    "runs=10\n", "runs=5\n")  # which takes less time
LISTED = {line.partition(" = ")[0]: line.partition(" = ")[2].split(", ")
          for line in PLAN.split("[events properties]\n")[1].splitlines()}
BRANCHES = ("conditional", "not_taken", "calls", "returns", "far")
EVENTS = ("instructions", "branches", "taken", "loads", "stores", *BRANCHES)
CONDITIONS = ("", "-alone", "-high")
COUNTERS = tuple(f"pmc{number}" for number in range(4))


def with_properties(names):
    """The plan with only these properties, which takes less time."""
    return PLAN.split("[events properties]\n")[0] + "[events properties]\n" + "".join(
        f"{name} = {', '.join(LISTED[name])}\n" for name in names)


def map_of(events):
    return {("INST_RETIRED.ANY", "fixed0"): "exact",
            **{(event, counter): "at least" if "prefetch" in event else "exact"
               for event in events for counter in COUNTERS}}


BRIEF, MAP = with_properties(BRANCHES), map_of(EVENTS)


def counted_by(table):
    """The properties of the plan for which this event table has an event. Properties of
    instructions with 512 bits and of VNNI are left out, because TCG cannot execute them.
    """
    with open(TOP / "build/events" / f"{table}.csv", newline="", encoding="ascii") as file:
        known = {line[0] for line in csv.reader(file) if line}
    if table.startswith("amd"):  # names that are only in the image's own table
        known |= {"RETIRED_NEAR_RETURNS", "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS"}
    return [name for name, events in LISTED.items()
            if known & {*events} and not re.search("512|vnni", name)]


def kinds_of(left, cpu="0"):
    """{(event, counter): kind} of a CPU. The image's own map in trust.csv must be the same, but it
    lacks the kernels that run on several CPUs."""
    with open(left.results.folder / "trust.csv", newline="", encoding="ascii") as file:
        own = {(line["event"], line["counter"]): line["kind"] for line in csv.DictReader(file)
               if line["cpu"] == cpu}
    pairs, without = kinds.trust_map(row for row in left.results.rows if row["cpu"] == cpu)
    assert own == {place: pair.kind for place, pair in pairs.items()
                   if not place[0].endswith(f"-{kinds.BESIDE}")} | {
        (event, counter): kind for (event, counter), kind in own.items()
        if (event, "") in without and kind == without[event, ""] == kinds.UNDECLARED}
    return {place: pair.kind for place, pair in pairs.items()}


def not_right(left):
    return {place: kind for place, kind in kinds_of(left).items() if kind not in kinds.RIGHT}


def trust_of(left):
    """What scripts/trust prints."""
    for cpu in {row["cpu"] for row in left.results.rows}:
        kinds_of(left, cpu)
    done = subprocess.run([TOP / "scripts/trust", left.results.folder], capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def cells(lines):
    """{(event, counter): kind} of the map that the lines contain."""
    counters = lines[1].split()[1:]
    places = [lines[1].index(counter) for counter in counters]
    return {(line.split()[0], counter): kind
            for line in lines[2:] if line[places[0] - 2:places[0]] == "  "
            for counter, place, end in zip(counters, places, [*places[1:], None])
            if (kind := line[place:end].strip())}


def errata_of(lines):
    """{event: (erratum, what the map shows of it)}."""
    found = [re.fullmatch(r"erratum (.*?\)), (\w+): (.*)", line) for line in lines]
    return {line[2]: (line[1], line[3]) for line in found if line}


def test_a_machine_that_tells_the_truth(boot):
    left = boot(cpus=1, plan=PLAN)
    status, lines = trust_of(left)
    assert status == results.PASSED and left.verdict == "PASS"
    events = (*EVENTS[:5], *counted_by("skylakex"))
    assert cells(lines) == map_of(events)
    assert kinds_of(left) == map_of([]) | map_of(
        event + condition for event in events for condition in CONDITIONS)
    seen = "not seen on pmc0, pmc1, pmc2, pmc3"
    assert errata_of(lines) == {  # those of Skylake
        "instructions": ("SKL091, SKL044 (Intel's perfmon)", seen),
        "nops": ("SKL091, SKL044 (Intel's perfmon)", seen),
        **{event: ("SKL091 (Intel's perfmon)", seen)
           for event in EVENTS[1:] if event not in ("loads", "stores")}}


# The table of a core's events -> the machine with such a core.
CORES = {
    "amd64_fam19h_zen4": {"cpu": "EPYC-Genoa"},
    "nehalemep": {"cpu": "Nehalem"},
    "haswell": {"cpu": "Haswell"},
    "broadwell": {"cpu": "Broadwell"},
    "icelakex": {"cpu": "Icelake-Server"},
    **{table: {"cpu": "Icelake-Server", "props": f"model={model},pmu-core-type={kind},"
                                                 f"pmu-native-model={native}"}
       for table, model, kind, native in (
           ("alderlake_goldencove", 0x97, 0x40, 1), ("alderlake_gracemont", 0x97, 0x20, 1),
           ("arrowlake_lioncove", 0xc6, 0x40, 3), ("arrowlake_skymont", 0xc6, 0x20, 3),
           ("pantherlake_cougarcove", 0xcc, 0x40, 4), ("pantherlake_darkmont", 0xcc, 0x20, 4))},
}


@pytest.mark.parametrize("table", thinned(list(CORES), (0, 6), "other cores"))
def test_properties_of_other_cores(boot, table):
    """AMD's loads and stores have only a lower bound."""
    left = boot(cpus=1, plan=PLAN, **CORES[table])
    status, lines = trust_of(left)
    assert status == results.PASSED and left.verdict == "PASS"
    found = cells(lines)
    assert set(found.values()) <= {"exact", "at least"}
    assert {event for event, _ in found} - {*EVENTS[:5]} == {
        "RETIRED_INSTRUCTIONS" if table.startswith("amd") else "INST_RETIRED.ANY",
        *counted_by(table)}


def test_tried_properties():
    """docs/kernels.md marks the properties that the cores of these tests count."""
    rows, = documents.tables(documents.section(TOP / "docs/kernels.md", "## Properties"))
    seen = {name for table in ("skylakex", *CORES) for name in counted_by(table)}
    assert [name for name, row in zip(LISTED, rows) if row[3] == "yes"] == [
        name for name in LISTED if name in seen]


# Property of the model machine (tests/machine/PROPERTIES.md) -> the counter that lies, and the kind
# of its lie.
COUNTER_LIES = {
    "pmu-off-by-one=2": ("pmc2", "constant +1"),
    "pmu-stuck=3": ("pmc3", "dead"),
    "pmu-noisy=1": ("pmc1", "varies"),
    "pmu-wrong-ring=2": ("pmc2", "dead"),
}
# pmu-late lets a counter also count the three instructions after the WRMSR that closes the window:
# JMP, RDTSC and LFENCE (boot/cpu/window.asm).
LATE = {"instructions": "constant +3", "branches": "constant +1", "taken": "constant +1",
        "loads": "off", "stores": "off", **dict.fromkeys(BRANCHES, "off")}


@pytest.mark.parametrize("lie", thinned(list(COUNTER_LIES), (0,), "lies of one counter"))
def test_a_counter_that_lies(boot, lie):
    counter, kind = COUNTER_LIES[lie]
    left = boot(cpus=1, plan=PLAN, props=lie)
    status, lines = trust_of(left)
    assert status == results.FAILED
    right = map_of((*EVENTS[:5], *counted_by("skylakex")))
    hidden = kind if kind == "dead" else "off"  # an excess is no error of what is `at least`
    assert cells(lines) == {
        pair: was if pair[1] != counter else kind if was == "exact" else hidden
        for pair, was in right.items()}
    if lie == "pmu-off-by-one=2":
        _, sample, on_screen = documents.blocks(TOP / "docs/trust-map.md", "text")
        assert [line for line in sample.text.splitlines() if line not in lines] == []
        assert on_screen.text in left.console
        assert on_screen.text in (left.results.folder / "summary.txt").read_text("ascii")


@in_full("a counter that stops late")
def test_a_counter_that_stops_late(boot):
    """The counter's counts of loads and stores are right. Nevertheless the program rejects the
    counter.
    """
    status, lines = trust_of(boot(cpus=1, plan=BRIEF, props="pmu-late=1"))
    assert status == results.FAILED
    assert cells(lines) == MAP | {(event, "pmc1"): kind for event, kind in LATE.items()}


# The encodings of Skylake, and the window's cost with WRMSR (boot/cpu/window.asm, window_cost).
RETIRED = dict(zip(EVENTS[:5], (0xc0, 0xc4, 0x20c4, 0x81d0, 0x82d0)))
ENCODINGS = RETIRED | {
    "conditional": 0x01c4, "not_taken": 0x10c4, "calls": 0x02c4, "returns": 0x08c4, "far": 0x40c4,
    "nops": 0x02c0, "locked_loads": 0x21d0, "split_loads": 0x41d0, "split_stores": 0x42d0,
    "fp_scalar_double": 0x01c7, "fp_scalar_single": 0x02c7, "fp_128_double": 0x04c7,
    "fp_128_single": 0x08c7, "fp_256_double": 0x10c7, "fp_256_single": 0x20c7, "pauses": 0x40cc}
COST = dict.fromkeys(ENCODINGS, 0) | dict(zip(EVENTS[:5], (6, 2, 2, 2, 1))) | {
    "calls": 1, "returns": 1}
ALL = "255"  # as pmu-lie-counter


def in_ring(ring, plan):
    return plan.replace("counters=each\n", "counters=each\nring=usr\n") if ring == 3 else plan


def line(factor, constant):
    return ", ".join([f"factor {factor}"] * (factor != 1) + [f"constant {constant:+d}"] *
                     (constant != 0))


class Lie:
    """A lie that a seed chooses: properties of the machine, and what the map then says."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.event = self.random.choice(list(ENCODINGS))
        self.counters = [self.random.choice(COUNTERS)] if seed % 2 else COUNTERS
        self.conditions = CONDITIONS
        self.props = {"pmu-lie-counter": self.counters[0][3:] if seed % 2 else ALL}
        self.ring, self.is_of_ring = 0, False
        self.cpus, self.others = "1", {}
        LIES[seed // 2 % len(LIES)](self)
        if "pmu-late" not in self.props:
            self.props["pmu-lie-event"] = ENCODINGS[self.event]
        self.events = dict.fromkeys((*EVENTS, self.event))
        self.plan = with_properties([event for event in self.events if event in LISTED])

    def wrong(self):
        """{(event, counter): kind} of the counts that are wrong.

        A counter that lies about instructions also fails the counter test, so its counts of all
        other events are `off`, unless `others` contains another kind. The counter test runs without
        neighbours and siblings.
        """
        fails = self.event == "instructions" and \
            self.props.get("pmu-lie-when") not in ("neighbour", "sibling")
        others = {(event + condition, counter): self.others.get(event, "off")
                  for event in self.events for condition in CONDITIONS for counter in self.counters
                  if fails}
        return others | {(self.event + condition, counter): self.kind
                         for condition in self.conditions for counter in self.counters}

    def plus(self):
        """If all counters count 1 or 2 too many, the program attributes the excess to WRMSR's
        microcode.
        """
        self.props["pmu-lie-plus"] = number = self.random.randint(
            1 if len(self.counters) == 1 else 3, 9)
        self.kind = line(1, number)

    def off_by_one(self):
        self.event = "instructions"
        self.props["pmu-lie-plus"] = 1
        self.kind = line(1, 1)

    def factor(self):
        self.props["pmu-lie-factor"] = factor = self.random.randint(2, 9)
        self.kind = line(factor, (factor - 1) * COST[self.event])

    def dead(self):
        self.props["pmu-lie-factor"] = 0
        self.kind = "dead"

    def another(self):
        other = self.random.choice([event for event in RETIRED if event != self.event])
        self.props["pmu-lie-counts"] = ENCODINGS[other]
        self.kind = f"counts {other if other != EVENTS[0] else 'INST_RETIRED.ANY'}"

    def high(self):
        """The counter's first event takes it to 2^32, and only the later events count several
        times.
        """
        self.props |= {"pmu-lie-when": "high"}
        self.factor()
        factor = self.props["pmu-lie-factor"]
        self.kind = line(factor, (factor - 1) * (COST[self.event] - 1))
        self.conditions = ("-high",)

    def neighbour(self):
        self.props |= {"pmu-lie-when": "neighbour"}
        self.plus()
        self.conditions = ("", "-high")

    def sibling(self):
        self.event = self.random.choice(list(RETIRED))  # which the kernels of siblings declare
        self.props |= {"pmu-lie-when": "sibling"}
        self.cpus = "2,cores=1,threads=2"
        self.plus()
        self.conditions = tuple(f"{condition}-beside" for condition in CONDITIONS)

    def late(self):
        """JMP, RDTSC and LFENCE come after the WRMSR that closes the window."""
        number = self.random.randint(1, 3)
        counter = self.random.choice(COUNTERS)
        self.event, self.counters = "instructions", [counter]
        self.props = {"pmu-late": counter[3:], "pmu-late-by": number}
        self.kind = line(1, number)
        self.others = dict.fromkeys(("branches", "taken"), "constant +1")

    def ring(self):
        """At CPL 3, the window's own loads and stores are not declared, but measured with the empty
        window. They are therefore no part of the error.
        """
        self.ring, self.is_of_ring = self.random.choice((0, 3)), True
        self.event = self.random.choice(("loads", "stores"))
        self.props["pmu-lie-ring"] = self.ring
        self.factor()
        if self.ring == 3:
            self.kind = line(self.props["pmu-lie-factor"], 0)


LIES = (Lie.plus, Lie.off_by_one, Lie.factor, Lie.dead, Lie.another, Lie.high, Lie.neighbour,
        Lie.sibling, Lie.late, Lie.ring)


@pytest.mark.parametrize("seed", thinned(list(range(40)), (1, 12, 15), "lies"))
def test_a_lie_by_seed(boot, seed):
    lie = Lie(seed)
    machine = {"cpus": lie.cpus,
               "props": ",".join(f"{name}={value}" for name, value in lie.props.items())}
    left = boot(plan=in_ring(lie.ring, lie.plan), **machine)
    status, lines = trust_of(left)
    wrong = not_right(left)
    assert status == results.FAILED and wrong == lie.wrong()
    if lie.is_of_ring:
        assert not_right(boot(plan=in_ring(3 - lie.ring, lie.plan), **machine)) == {}
    places = {place: kind for place, kind in wrong.items() if place in cells(lines)}
    assert places and all(f"{event} on {counter}: {kind}" in "\n".join(lines)
                          for (event, counter), kind in places.items())


@pytest.mark.parametrize("seed", thinned(list(range(10)), (7,), "healthy machines"))
def test_nothing_is_found_on_a_healthy_machine(boot, seed):
    choose = random.Random(seed).choice
    cpu = choose(("Nehalem", "Haswell", "Skylake-Server", "Icelake-Server", "EPYC-Rome",
                  "EPYC-Genoa", "EPYC-Turin"))
    lines = {"cpus": choose(("boot-core", "all")), "runs": choose(("10", "20", "40")),
             "mode": choose(("serial", "parallel")), "ring": choose(("os", "usr", "both"))}
    plan = BRIEF
    for key, value in lines.items():
        plan = re.sub(rf"^{key}=.*\n|^(?=counters=)", f"{key}={value}\n", plan, count=1, flags=re.M)
    left = boot(cpus=choose(("1", "2", "2,cores=1,threads=2", "2,sockets=2")), plan=plan, cpu=cpu)
    status, _ = trust_of(left)
    assert status == results.PASSED and left.verdict == "PASS"
    conditions = {event.partition("-")[2].partition("-")[0] for event, _ in kinds_of(left)}
    assert "high" in conditions or cpu == "Nehalem"
    assert "alone" in conditions or cpu == "EPYC-Rome"


# The lie "LOCK" counts too many instructions and branches, as erratum 1292 does. The lie "cycles"
# also affects events that have no erratum.
LOCKED = BRIEF.replace("[kernels]\n", "[kernels]\nlat_lock_inc_m64 n=100,200,400\n")
ON_INTEL, ON_AMD = (", ".join(f"pmc{number}" for number in range(count)) for count in (4, 6))
SKYLAKE, ZEN_3 = "Skylake-Server", "EPYC-Milan"
ERRATA = {  # what the lie is -> the CPU, its properties, the plan, and what is said of each erratum
    "none": (ZEN_3, "", BRIEF, rf"not seen on {ON_AMD}"),
    "overcounts": (ZEN_3, "pmu-overcounts=3", BRIEF,
                   rf"confirmed on {ON_AMD}: \w+ n=\d+ declares .*"),
    "LOCK": (ZEN_3, "pmu-lock-excess=5,pmu-cfg-ignored=on", LOCKED,
             rf"confirmed on {ON_AMD}: lat_lock_inc_m64 n=\d+ declares .*"),
    "cycles": (SKYLAKE, "pmu-count-cycles=on", BRIEF,
               rf"not judged on {ON_INTEL}, which count other events wrongly, too"),
}


@pytest.mark.parametrize("lie", thinned(list(ERRATA), (1,), "lies like errata"))
def test_errata(boot, lie):
    cpu, props, plan, words = ERRATA[lie]
    _, lines = trust_of(boot(cpus=1, plan=plan, cpu=cpu, props=props))
    if lie == "none":
        assert documents.blocks(TOP / "docs/trust-map.md", "text")[0].text.strip() in lines
    found = errata_of(lines)
    name, anchor = ("1292 (AMD's revision guide 56683)", "RETIRED_INSTRUCTIONS") \
        if cpu == ZEN_3 else ("SKL091", None)
    if anchor:  # it counts on pmc0 in every pass
        assert re.fullmatch(words.replace(ON_AMD, "pmc0"), found.pop(anchor)[1])
    for event in EVENTS[:3]:
        erratum, said = found[event]
        assert erratum.startswith(name) and re.fullmatch(words, said), said


def test_full_width_writes_that_fault(boot):
    """CPUID announces IA32_A_PMC1, which raises #GP; so no counter starts at 2^32 - 1."""
    left = boot(cpus=1, plan=BRIEF, props="pmu-gp-msr=0x4c2")
    assert not_right(left) == {}
    assert not any(event.endswith("-high") for event, _ in kinds_of(left))


LATER = """version=1
[run]
cpus=boot
runs=5
at_end=shutdown
[kernels]
load n=100
[events retired]
instructions = INST_RETIRED.ANY_P
branches = BR_INST_RETIRED.ALL_BRANCHES
taken = BR_INST_RETIRED.NEAR_TAKEN
loads = MEM_INST_RETIRED.ALL_LOADS
misses = MEM_LOAD_RETIRED.L1_MISS
"""
REMEMBERED = "barecount/results/trust-00050654-00000001.txt"


def test_later_runs_know_the_map(boot):
    """The map says that one counter lies. It applies only to CPUs with the same signature."""
    stick = boot(cpus=1, plan=BRIEF, props="pmu-off-by-one=2").stick
    left = boot(cpus=1, plan=LATER, stick=stick)
    rows = [row for row in left.results.rows if row["counter"]]
    wrong, = (row["event"] for row in rows if row["counter"] == "pmc2" and row["event"] in EVENTS)
    for row in rows:
        known = row["event"] in EVENTS or row["event"] == "INST_RETIRED.ANY"
        right = "exact" if known else ""
        assert row["trust"] == ("constant +1" if row["event"] == wrong else right)
    said = re.findall(r"^- (CPU 0: do not trust .*)", left.console, re.M)
    assert len(said) == 1 and said[0].startswith(
        f"CPU 0: do not trust {wrong}: constant +1 on CPU 0 in run 0001-")
    assert said[0] in left.results.run["remarks"]

    left = boot(cpus=1, plan=LATER, stick=stick, cpu="Skylake-Server,stepping=5")
    assert {row["trust"] for row in left.results.rows} == {""}


def test_a_damaged_map(boot):
    left = boot(cpus=1, plan=LATER, files={REMEMBERED: "barecount trust 1\n0,"})
    assert re.search(r"trust-00050654-00000001.txt is damaged and not used", left.console)
    assert {row["trust"] for row in left.results.rows} == {""}


def test_a_map_that_cannot_be_written(boot, tmp_path):
    """A folder has the name of the map's file, so the map cannot be written. The run is still
    complete.
    """
    stick = sticks.Stick.copy_of(IMAGE, tmp_path / "stick.img")
    stick.make_folder(REMEMBERED)
    left = boot(cpus=1, plan=BRIEF, stick=stick, files={f"{REMEMBERED}/x": "not empty"})
    said = " ".join(left.console.split())
    assert "trust-00050654-00000001.txt could not be written: " in said
    assert left.verdict == "PASS" and left.results.run["complete"] is True
    left = boot(cpus=1, plan=LATER, stick=left.stick)
    assert "trust-00050654-00000001.txt is damaged and not used" in " ".join(left.console.split())
    assert left.verdict == "PASS" and {row["trust"] for row in left.results.rows} == {""}
