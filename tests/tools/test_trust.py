# SPDX-License-Identifier: BSD-2-Clause
"""scripts/trust on made-up rows: each pair must get the kind of error that its counts were
given."""
import subprocess

from conftest import TOP
import folders
import pytest
import results
from script import load
from report import trust as report_trust
from test_report import page_of
from trust import kinds

# No two events have the same counts at n=1.
KERNELS = {"a": {"instructions": 7, "branches": 2, "loads": 1},
           "b": {"instructions": 5, "branches": 3, "loads": 0},
           "c": {"instructions": 4, "branches": 1, "loads": 4}}
EVENTS = ("instructions", "branches", "loads")
SIZES = (100, 200, 400)
WRONG = "branches", "pmc1"
EMPTY = dict.fromkeys(results.HEADER, "")


def row(event, counter, kernel, n, samples, cpu=0):
    count = KERNELS[kernel][event] * n
    told = {"min": str(min(samples)), "max": str(max(samples))} if samples else {}
    return EMPTY | {"cpu": str(cpu), "kernel": kernel, "n": str(n), "event": f"{event}@{counter}",
                    "counter": f"pmc{counter}", "scope": "thread", "ring": "os",
                    "verdict": "exact", "expected_low": str(count),
                    "expected_high": str(count)} | told


def rows(samples_of=None, cpu=0, **changed):
    """Rows in which all pairs except WRONG are exact.

    The samples of WRONG are samples_of(kernel, declared count, n), and its rows have the values in
    `changed`.
    """
    for event in EVENTS:
        for counter in range(3):
            for kernel in KERNELS:
                for n in SIZES:
                    count = KERNELS[kernel][event] * n
                    is_wrong = (event, f"pmc{counter}") == WRONG
                    samples = samples_of(kernel, count, n) if is_wrong and samples_of else [count]
                    yield row(event, counter, kernel, n, samples, cpu) | \
                        (changed if is_wrong else {})


KINDS = {
    "exact": None,
    "constant +3": lambda _, count, n: [count + 3],
    "constant -1": lambda _, count, n: [count - 1],
    "factor 2": lambda _, count, n: [2 * count],
    "factor 1/2": lambda _, count, n: [count // 2],
    "factor 101/100": lambda _, count, n: [count * 101 // 100],
    "factor 2, constant +1": lambda _, count, n: [2 * count + 1],
    "dead": lambda _, count, n: [-2],
    "counts loads": lambda kernel, _, n: [KERNELS[kernel]["loads"] * n],
    "varies": lambda kernel, count, n: [count, count + (kernel == "b")],
    "unexplained": lambda kernel, count, n: [count + n * (kernel == "b")],
    "unknown": lambda kernel, count, n: [count] if kernel == "a" else [],
}


@pytest.mark.parametrize("kind, samples_of", KINDS.items(), ids=KINDS)
def test_each_kind(kind, samples_of):
    found, _ = kinds.trust_map(list(rows(samples_of)))
    assert found.pop(WRONG).kind == kind
    assert [pair.kind for pair in found.values()] == [kinds.EXACT] * 8


def test_without_any_sample_nothing_is_known():
    found, without = kinds.trust_map(list(rows(lambda *_: [], reason="it is busy")))
    assert WRONG not in found and without == {WRONG: "it is busy"}


@pytest.mark.parametrize("verdict", ["fault", "timeout", "noisy"])
def test_a_kernel_without_samples(verdict):
    """An `unavailable` row is ignored. Any other row without samples makes the pair `unknown`.

    A row without a counter's number concerns all counters.
    """
    lost = {"counter": "", "min": "", "max": "", "verdict": verdict, "reason": "it hangs"}
    for event, count in (("branches@1", 1), ("branches", 3)):
        one = row("branches", 1, "a", 800, [1]) | lost | {"event": event}
        for changed, expected in (({}, count), ({"verdict": "unavailable"}, 0)):
            found, without = kinds.trust_map([*rows(), one | changed])
            unknown = [place for place, pair in found.items() if pair.kind == kinds.UNKNOWN]
            assert len(unknown) == expected and without == {}
            assert {event for event, _ in unknown} <= {"branches"}


def test_an_undeclared_event_and_a_kernel_that_the_cpu_lacks():
    lines = [one | {"expected_low": "", "expected_high": ""} for one in rows()]
    lines.append(lines[0] | {"kernel": "d", "min": "", "max": "", "verdict": "unavailable",
                             "reason": "the CPU lacks a feature"})
    assert kinds.trust_map(lines) == ({}, {(event, ""): kinds.UNDECLARED for event in EVENTS})


def test_names_with_an_at_sign():
    """From `my@loads@0` only `@0` is removed, and only if the row's counter has number 0."""
    odd = [dict(one, event=f"my@{one['event']}") for one in rows()]
    assert {event for event, _ in kinds.trust_map(odd)[0]} == {f"my@{event}" for event in EVENTS}
    odd = [dict(one, event="x@7" if one["event"] == "loads@0" else one["event"]) for one in rows()]
    assert ("x@7", "pmc0") in kinds.trust_map(odd)[0]


def test_one_kernel_shows_no_line():
    """The counts of a single kernel are always on a line, so that line explains nothing."""
    wrong = list(rows(lambda _, count, n: [2 * count]))
    for kernels, kind in (("a", kinds.UNEXPLAINED), ("ac", "factor 2")):
        some = [one for one in wrong if one["kernel"] in kernels]
        assert kinds.trust_map(some)[0][WRONG].kind == kind


def test_one_declared_count_proves_nothing():
    same = [one for one in rows() if one["kernel"] == "a" and one["n"] == "100"]
    assert {pair.kind for pair in kinds.trust_map(same)[0].values()} == {kinds.UNKNOWN}


def test_bounds():
    def kind(low, high, samples):
        made = [row("loads", 0, "a", n, [n + one for one in samples]) |
                {"expected_low": str(n + low),
                 "expected_high": "" if high is None else str(n + high)} for n in SIZES]
        return kinds.trust_map(made)[0]["loads", "pmc0"].kind

    assert kind(0, 5, [2]) == kind(0, 5, [0, 5]) == kinds.WITHIN
    assert kind(0, None, [900]) == kinds.AT_LEAST
    assert kind(0, 5, [0, 6]) == kinds.VARIES
    assert kind(0, None, [-1]) == kind(0, 5, [6]) == kinds.UNEXPLAINED


@pytest.mark.parametrize("verdict", results.FAILING)
def test_right_counts_that_the_program_rejects(verdict):
    found, _ = kinds.trust_map(list(rows(verdict=verdict, reason="pmc1 failed its test")))
    assert found[WRONG].kind == verdict
    found, _ = kinds.trust_map(list(rows(verdict=verdict, noisy_by="heat")))
    assert found[WRONG].kind == kinds.EXACT  # a row of time, which does not fail the run


def test_rows_without_a_pair():
    usual = row("loads", 0, "a", 100, [100])
    found, without = kinds.trust_map([
        usual, dict(usual, scope="package"), dict(usual, event="msr:0x34"),
        dict(usual, event="TSC", unit="tsc ticks"),
        dict(usual, event="cycles", expected_low=""),
        dict(usual, event="other", counter="", min="", reason="the CPU has no such event"),
        dict(usual, event="linux", counter="")])
    assert set(found) == {("loads", "pmc0")}
    assert without == {("cycles", ""): kinds.UNDECLARED,
                       ("other", ""): "the CPU has no such event",
                       ("linux", ""): "the results name no counter"}


class Found:
    told_of = results.Results.told_of

    def __init__(self, name, its_rows, **changed):
        self.folder, self.rows, self.missing, self.plan_errors = name, list(its_rows), 0, 0
        self.run = {"complete": True, "cpus": [
            {"cpu": cpu, "brand": "A CPU", "signature": "0x1", "microcode": "0x2"}
            for cpu in range(2)]} | changed


def said(monkeypatch, capsys, *folders):
    trust, told = load("trust"), iter(folders)
    monkeypatch.setattr(results, "Results", lambda _: next(told))
    monkeypatch.setattr("sys.argv", ["trust", *(found.folder for found in folders)])
    return trust.main(), capsys.readouterr().out.splitlines()


def test_an_exact_machine(monkeypatch, capsys):
    fixed = [dict(one, event="all", counter="fixed0") for one in rows() if
             one["event"] == "loads@0"]
    status, lines = said(monkeypatch, capsys, Found("here", [*rows(), *fixed]))
    assert status == results.PASSED
    assert lines[0] == "here, CPU 0: A CPU, signature 0x1, microcode 0x2"
    assert lines[1].split() == ["event", "fixed0", "pmc0", "pmc1", "pmc2"]
    assert [line.split() for line in lines[2:5]] == [[event, *["exact"] * 3] for event in EVENTS]
    assert lines[5:] == ["all           exact",
                         "10 pairs of event and counter: 10 exact, 0 wrong"]


def test_a_wrong_pair_has_an_example(monkeypatch, capsys):
    status, lines = said(monkeypatch, capsys, Found("here", rows(KINDS["unexplained"])))
    assert status == results.FAILED
    assert lines[5:] == ["branches on pmc1: unexplained; counter-dependent: "
                         "b n=400 declares 1200, counted 1600",
                         "9 pairs of event and counter: 8 exact, 1 wrong"]


def test_reasons(monkeypatch, capsys):
    status, lines = said(monkeypatch, capsys, Found("here", rows(verdict="off", reason="it lies")))
    assert status == results.FAILED
    assert lines[5] == "branches on pmc1: off; counter-dependent: a n=100: it lies"
    status, lines = said(monkeypatch, capsys, Found("here", rows(KINDS["unknown"])))
    assert status == results.INCOMPLETE
    assert lines[5:] == ["branches on pmc1: unknown; counter-dependent: b n=100: ",
                         "9 pairs of event and counter: 8 exact, 1 unknown, 0 wrong"]


@pytest.mark.parametrize("found, line", [
    (Found("here", rows(), complete=False), "here: the run is not complete"),
    (Found("here", rows(), stopped_by_user=True), "here: the run is not complete"),
    (Found("here", [one for one in rows() if one["event"] != "loads@2"] + [
        row("loads", 2, "a", 100, []) | {"counter": "", "reason": "it is in use"}]),
     "loads on pmc2: it is in use"),
    (Found("here", [*rows(), row("loads", 0, "a", 100, [100]) |
                    {"event": "x", "counter": "", "min": "", "reason": "no such event"}]),
     "x: no such event"),
    (Found("here", []), "0 pairs of event and counter: 0 wrong")])
def test_what_is_not_judged(monkeypatch, capsys, found, line):
    status, lines = said(monkeypatch, capsys, found)
    assert status == results.INCOMPLETE and line in lines


def test_errors_of_the_plan(monkeypatch, capsys):
    found = Found("here", rows())
    found.plan_errors = 2
    status, lines = said(monkeypatch, capsys, found)
    assert status == results.INCOMPLETE and "here: the plan has 2 errors" in lines


def test_cpus_with_one_map_share_it(monkeypatch, capsys):
    _, lines = said(monkeypatch, capsys, Found("here", [*rows(), *rows(cpu=1)]))
    assert lines[0].startswith("here, CPU 0, 1: ") and len(lines) == 6
    both = Found("here", [*rows(), *rows(KINDS["dead"], cpu=1)])
    assert said(monkeypatch, capsys, both)[1][5].startswith("here, CPU 1: ")
    both = Found("here", [*rows(), *rows(cpu=1)])
    both.run["cpus"][1]["microcode"] = "0x3"
    assert said(monkeypatch, capsys, both)[1][5] == "here, CPU 1: A CPU, signature 0x1, " \
                                                     "microcode 0x3"


def test_machines_that_differ(monkeypatch, capsys):
    fewer = [one for one in rows() if one["counter"] != "pmc2" or one["event"] != "loads@2"]
    status, lines = said(monkeypatch, capsys, Found("here", rows()), Found("there", fewer),
                         Found("last", rows(KINDS["factor 2"])))
    assert status == results.FAILED
    assert lines[lines.index("Differences:") + 1:-1] == [
        "branches on pmc1: exact in here CPU 0; exact in there CPU 0; factor 2 in last CPU 0",
        "loads on pmc2: exact in here CPU 0; not counted in there CPU 0; exact in last CPU 0"]
    _, lines = said(monkeypatch, capsys, Found("here", rows()), Found("there", rows()))
    assert lines[-2] == "none"


@pytest.mark.parametrize("words, status", [((), results.USAGE),
                                           (("no such folder",), results.HOST_ERROR)])
def test_wrong_usage(words, status):
    done = subprocess.run([TOP / "scripts/trust", *words], capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == status and done.stderr != "" and done.stdout == ""


def line(event, counter, kind="exact", cpu=0, **more):
    """A line of trust.csv."""
    return dict.fromkeys(results.TRUST_HEADER, "") | {
        "cpu": str(cpu), "event": event, "counter": counter, "kind": kind} | more


def lines_of(*changed, cpu=0):
    """Lines of trust.csv in which all pairs are exact, except those that `changed` contains."""
    told = {(one["event"], one["counter"]): one for one in changed}
    usual = [line(event, f"pmc{counter}") for event in EVENTS for counter in range(3)]
    return [told.pop((one["event"], one["counter"]), one) | {"cpu": str(cpu)} for one in usual] + [
        one | {"cpu": str(cpu)} for one in told.values()]


def with_map(folder, lines, **other):
    folders.write_csv(folders.make(folder, 2, **other) / "trust.csv", results.TRUST_HEADER, lines)
    return folder


def off_by(constant):
    count = KERNELS["b"]["branches"] * 400
    return line(*WRONG, f"constant {constant:+d}", kernel="b", n="400", reason="pmc1 is odd",
                expected_low=str(count), expected_high=str(count), min=str(count + constant),
                max=str(count + constant))


def shown(section):
    """The section's maps, and the texts of its lists."""
    maps = [[[cell.text.replace("\u00a0", " ") for cell in one.children] for one in table.all("tr")]
            for table in section.all("table")]
    return maps, [item.text for item in section.all("li")]


def test_the_map_in_the_report(tmp_path):
    lines = lines_of(
        off_by(3), line("loads", "pmc2", "unknown", kernel="c", param="size=64", n="100",
                        reason="it hangs"),
        line("loads", "pmc0", "noisy", kernel="a", n="200", reason="NMIs"),
        line("loads", "pmc1", "unknown"), line("all", "fixed0", "at least"),
        line("stores", "pmc0", "not counted", reason="#UD"),
        line("loads", "", "not counted", reason="it is in use"),
        line("cycles", "pmc1", kinds.UNDECLARED), line("x", "", "not counted"))
    both = [one | {"cpu": cpu} for cpu in "01" for one in lines]
    section = page_of(with_map(tmp_path / "0001", both)).section("trust")
    (table,), told = shown(section)
    right = "\u2713 exact"
    assert table == [["Event", "fixed0", "pmc0", "pmc1", "pmc2"],
                     ["instructions", "", right, right, right],
                     ["branches", "", right, "\u2717 constant +3", right],
                     ["loads", "", "\u2717 noisy", "? unknown", "? unknown"],
                     ["all", "\u2713 at least", "", "", ""]]
    shades = {cell.text[0]: cell.attributes["class"] for cell in section.all("td") if cell.text}
    assert shades == {"\u2713": "good", "\u2717": "bad", "?": "note"}
    assert told == [
        "branches on pmc1: constant +3; counter-dependent: b n=400 declares 1200, counted 1203 "
        "(pmc1 is odd)", "loads on pmc0: noisy; counter-dependent: a n=200: NMIs",
        "loads on pmc1: unknown; counter-dependent: all kernels declare the same count",
        "loads on pmc2: unknown; counter-dependent: c size=64 n=100: it hangs",
        "stores on pmc0: #UD", "loads on another counter: it is in use",
        f"cycles: {kinds.UNDECLARED}", "x: not counted"]
    cpu = folders.cpu_of(0)
    assert [title.text for title in section.all("h3")] == [
        f"0001, CPUs 0-1: {cpu['brand']}, signature {cpu['signature']}, "
        f"microcode {cpu['microcode']}"]


def test_a_map_without_pairs_in_the_report(tmp_path):
    none = [line("cycles", f"pmc{counter}", kinds.UNDECLARED) for counter in range(3)]
    assert shown(page_of(with_map(tmp_path / "0001", none)).section("trust")) == \
        ([], [f"cycles: {kinds.UNDECLARED}"])


def test_maps_in_the_report_that_differ(tmp_path):
    """CPU 1 of the second folder has a map of its own; a third folder has no trust.csv."""
    one = with_map(tmp_path / "0001", lines_of())
    two = with_map(tmp_path / "0002", lines_of() + lines_of(off_by(-1), cpu=1))
    bare = folders.make(tmp_path / "0003")
    maps, told = shown(page_of(one, two, bare).section("trust"))
    assert len(maps) == 3
    assert told[-1] == "branches on pmc1: exact in 0001 CPU 0; exact in 0002 CPU 0; " \
                       "constant -1 in 0002 CPU 1"
    same = page_of(one, with_map(tmp_path / "0004", lines_of())).section("trust")
    assert shown(same)[1] == [] and same.text.endswith("Differencesnone")
    assert "trust" not in page_of(bare).sections()
    assert "Differences" not in page_of(one, bare).section("trust").text


def test_more_maps_than_the_report_shows(tmp_path, monkeypatch):
    monkeypatch.setattr(report_trust, "MAPS_MAX", 1)
    section = page_of(with_map(tmp_path / "0001", lines_of() + lines_of(off_by(-1), cpu=1)),
                      with_map(tmp_path / "0002", lines_of())).section("trust")
    assert len(shown(section)[0]) == 2 and section.text.endswith("none")
    assert section.one("p", **{"class": "note"}).text == "scripts/trust shows 1 further map."


@pytest.mark.parametrize("old, new, said", [
    ("max,reason", "most,reason", "line 1: column 13 is 'most', expected 'max'"),
    (",run,machine", "", "line 1 has 14 columns, expected at least 16, the last of them 'machine'"),
    ("branches,,pmc1", "branches,pmc1", "line 6 has 15 fields, expected 16"),
    (",1200,1200,", ",12x0,1200,", "line 6: '12x0' in the column expected_low: expected a whole"),
    ("b,,400,", "b,,4e2,", "line 6: '4e2' in the column n: expected a whole number"),
    (",1200,1203,", ",12-3,1203,", "line 6: '12-3' in the column expected_high: expected a whole"),
    (",1203,1203,", ",,1203,", "line 6: '' in the column min: expected a whole number"),
    (",1203,pmc1", ",,pmc1", "line 6: '' in the column max: expected a whole number"),
    ("branches,,pmc1", "branches,,7", "line 6: '7' in the column counter: expected a name"),
    ("constant +3", "", "line 6: '' in the column kind: expected a word such as 'exact'"),
    ("0,,branches,,pmc1", "-1,,branches,,pmc1", "line 6: '-1' in the column cpu: expected a whole"),
    ("constant +3", '"constant" +3', "line 6: ',' expected after '\"'"),
    (None, None, "line 10 is cut off")])
def test_a_damaged_map(tmp_path, old, new, said):
    """The undamaged folder's map, and all other sections, are shown."""
    good, bad = (with_map(tmp_path / name, lines_of(off_by(3))) for name in ("good", "bad"))
    whole = (bad / "trust.csv").read_text("ascii")
    text = whole[:-9] if old is None else whole.replace(old, new)
    assert text != whole
    (bad / "trust.csv").write_text(text, "ascii", newline="")
    page = page_of(bad, good)
    problem, = page.section("trust").all("p", **{"class": "problem"})
    assert f"trust.csv cannot be read: {bad}/trust.csv: {said}" in problem.text
    assert len(shown(page.section("trust"))[0]) == 1
    assert "bad: no row failed." in page.section("verdicts").text


def test_events_that_an_earlier_map_calls_wrong(tmp_path):
    """Only the event's column in the table of results is marked, once, with its counter."""
    kinds_told = {"INST_RETIRED.ANY": "exact", "CPU_CLK_UNHALTED.THREAD": "unknown",
                  "BR_INST_RETIRED.ALL_BRANCHES": "counts taken"}
    page = page_of(folders.make(tmp_path / "0001", 2, change=lambda row: row.update(
        trust=kinds_told.get(row["event"], ""))))
    marks = [small.text for head in page.section("results").one("tr").children
             for small in head.all("small", **{"class": "note"})]
    assert marks == ["trust map: counts taken on pmc0"]
