# SPDX-License-Identifier: BSD-2-Clause
"""scripts/trust on made-up rows: the kind of every pair follows from how its counts are made."""
import importlib.machinery
import importlib.util

from conftest import TOP
import pytest
import results
from trust import kinds

# The declared counts of made-up kernels at n=1, by event. No kernel's counts are proportional to
# another kernel's.
KERNELS = {"a": {"instructions": 7, "branches": 2, "loads": 1},
           "b": {"instructions": 5, "branches": 3, "loads": 0},
           "c": {"instructions": 4, "branches": 1, "loads": 4}}
ENCODINGS = {"instructions": "r00c0", "branches": "r00c4", "loads": "r81d0"}
SIZES = (100, 200, 400)
EMPTY = dict.fromkeys(results.HEADER, "")


def row(event, counter, kernel, n, samples, declared=None, cpu=0):
    count = KERNELS[kernel][event] * n
    low, high = declared if declared else (count, count)
    told = {"min": str(min(samples)), "max": str(max(samples))} if samples else {}
    return EMPTY | {"cpu": str(cpu), "kernel": kernel, "n": str(n), "event": f"{event}_{counter}",
                    "encoding": ENCODINGS[event], "counter": f"pmc{counter}", "scope": "thread",
                    "expected_low": str(low), "expected_high": str(high)} | told


def rows(samples_of=None, wrong=("branches", 1), cpu=0):
    """The rows of all pairs, which are exact except for the pair `wrong` if `samples_of` is given:
    it makes samples from the kernel, the declared count and n."""
    for event in ENCODINGS:
        for counter in range(3):
            for kernel in KERNELS:
                for n in SIZES:
                    count = KERNELS[kernel][event] * n
                    is_wrong = samples_of and wrong == (event, counter)
                    yield row(event, counter, kernel, n,
                              samples_of(kernel, count, n) if is_wrong else [count], cpu=cpu)


KINDS = {
    "exact": None,
    "constant +3": lambda _, count, n: [count + 3],
    "constant -1": lambda _, count, n: [count - 1],
    "factor 2": lambda _, count, n: [2 * count],
    "factor 0.5": lambda _, count, n: [count // 2],
    "factor 2, constant +1": lambda _, count, n: [2 * count + 1],
    "dead": lambda _, count, n: [-2],
    "counts loads": lambda kernel, _, n: [KERNELS[kernel]["loads"] * n],
    "varies": lambda kernel, count, n: [count, count + (kernel == "b")],
    "unexplained": lambda kernel, count, n: [count + n * (kernel == "b")],
    "unknown": lambda *_: [],
}


@pytest.mark.parametrize("kind, samples_of", KINDS.items(), ids=KINDS)
def test_each_kind(kind, samples_of):
    found = kinds.trust_map(list(rows(samples_of)))
    if kind == kinds.UNKNOWN:
        assert ("branches", "pmc1") not in found or found["branches", "pmc1"][0] == kind
    else:
        assert found.pop(("branches", "pmc1"))[0] == kind
    assert {told for told, _ in found.values()} <= {kinds.EXACT, kinds.UNKNOWN}
    assert len(found) >= 8


def test_one_kernel_shows_no_line():
    """The counts of one kernel are always on a line, so they explain nothing."""
    wrong = [one for one in rows(lambda _, count, n: [2 * count]) if one["kernel"] == "a"]
    assert kinds.trust_map(wrong)["branches", "pmc1"][0] == kinds.UNEXPLAINED


def test_a_range_is_within():
    one = [row("loads", 0, "a", n, [n + 2], declared=(n, n + 5)) for n in SIZES]
    assert kinds.trust_map(one)["loads", "pmc0"][0] == kinds.WITHIN
    assert kinds.trust_map([dict(one[0], max="106")])["loads", "pmc0"][0] == kinds.VARIES
    assert kinds.trust_map([dict(one[0], expected_high="")])["loads", "pmc0"][0] == kinds.WITHIN
    assert kinds.trust_map([dict(one[0], min="99", max="99", expected_high="")])[
        "loads", "pmc0"][0] == kinds.UNEXPLAINED


def test_rows_that_say_nothing_are_left_out():
    usual = row("loads", 0, "a", 100, [100])
    assert kinds.trust_map([dict(usual, scope="package"), dict(usual, counter=""),
                            dict(usual, expected_low="", expected_high="")]) == {}


class Found:
    """A folder of results; its rows are the given ones."""

    def __init__(self, name, its_rows):
        self.folder, self.rows = name, its_rows
        self.run = {"cpus": [{"cpu": cpu, "brand": "A CPU", "signature": "0x1",
                              "microcode": "0x2"} for cpu in range(2)]}


def script():
    """scripts/trust as a module."""
    loader = importlib.machinery.SourceFileLoader("trust_script", str(TOP / "scripts/trust"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def said(monkeypatch, capsys, **folders):
    """The exit status and the lines of the script for folders with these rows."""
    trust = script()
    monkeypatch.setattr(results, "Results", lambda name: Found(name, list(folders[name])))
    monkeypatch.setattr("sys.argv", ["trust", *folders])
    status, printed = trust.main(), capsys.readouterr()
    return status, (printed.out + printed.err).splitlines()


def test_an_exact_machine(monkeypatch, capsys):
    status, lines = said(monkeypatch, capsys, here=rows())
    assert status == results.PASSED
    assert lines[0] == "here, CPU 0: A CPU, signature 0x1, microcode 0x2"
    assert lines[1].split() == ["event", "pmc0", "pmc1", "pmc2"]
    assert [line.split() for line in lines[2:5]] == [[event, *["exact"] * 3] for event in ENCODINGS]
    assert lines[5:] == ["9 pairs of event and counter, 0 not right"]


def test_a_wrong_pair_has_an_example(monkeypatch, capsys):
    status, lines = said(monkeypatch, capsys,
                         here=rows(lambda kernel, count, n: [count + (kernel == "b")]))
    assert status == results.FAILED
    assert lines[5] == "branches on pmc1: unexplained; counter-dependent: " \
                       "b n=100 declares 300, counted 301"
    assert lines[6] == "9 pairs of event and counter, 1 not right"


def test_cpus_with_one_map_share_it(monkeypatch, capsys):
    _, lines = said(monkeypatch, capsys, here=[*rows(), *rows(cpu=1)])
    assert lines[0].startswith("here, CPU 0, 1: ") and len(lines) == 6
    _, lines = said(monkeypatch, capsys, here=[*rows(), *rows(KINDS["dead"], cpu=1)])
    assert lines[5].startswith("here, CPU 1: ")
    assert lines[-1] == "18 pairs of event and counter, 1 not right"


def test_machines_that_differ(monkeypatch, capsys):
    status, lines = said(monkeypatch, capsys, here=rows(), there=rows(KINDS["factor 2"]))
    assert status == results.FAILED
    assert lines[lines.index("Differences:") + 1:-1] == \
        ["branches on pmc1: exact in here CPU 0; factor 2 in there CPU 0"]
    _, lines = said(monkeypatch, capsys, here=rows(), there=rows())
    assert lines[-2] == "none"


def test_nothing_to_conclude_from(monkeypatch, capsys):
    status, lines = said(monkeypatch, capsys, here=())
    assert status == results.INCOMPLETE
    assert lines == ["trust: here: no kernel declares a count of a counted event; run the plan "
                     "trust"]
