# SPDX-License-Identifier: BSD-2-Clause
"""What scripts/trust says about known errata, on made-up rows and errata."""
import pytest
from test_trust import EVENTS, Found, KINDS, rows, said, WRONG
from trust import errata

TOO_MANY, ANY = errata.TOO_MANY, "wrong"
ALL = "pmc0, pmc1, pmc2"
LARGEST = "b n=400 declares 1200, counted "  # the branches of the kernel b


def slot(event, counter, effect):
    told = {"erratum": "a sentence", "erratum_name": "X1, X2", "erratum_source": "a guide",
            "erratum_effect": effect} if effect else {"erratum": "a sentence"}
    return {"event": f"{event}@{counter}", "counter": f"pmc{counter}", **told}


def lines_of(monkeypatch, capsys, its_rows, events=WRONG[:1], effect=TOO_MANY):
    """What is said about an erratum of some events: the texts after `erratum `."""
    found = Found("here", its_rows)
    found.run["cpus"][0]["passes"] = [[slot(event, counter, effect) for event in events]
                                      for counter in range(3)]
    _, lines = said(monkeypatch, capsys, found)
    return [line.removeprefix("erratum ") for line in lines if line.startswith("erratum ")]


@pytest.mark.parametrize("effect, samples_of, words", [
    (TOO_MANY, lambda _, count, n: [2 * count], f"confirmed on pmc1: {LARGEST}2400"),
    (TOO_MANY, lambda _, count, n: [count, count + n // 100],
     "confirmed on pmc1: a n=400 declares 800, counted 800 to 804"),
    (TOO_MANY, lambda _, count, n: [count // 2], f"contradicted on pmc1: {LARGEST}600"),
    (TOO_MANY, lambda _, count, n: [count - n // 400, 2 * count],
     "contradicted on pmc1: a n=400 declares 800, counted 799 to 1600"),
    (ANY, lambda _, count, n: [2 * count], f"confirmed on pmc1: {LARGEST}2400"),
    (ANY, lambda _, count, n: [count // 2], f"confirmed on pmc1: {LARGEST}600"),
    (TOO_MANY, None, f"not seen on {ALL}"), (ANY, None, f"not seen on {ALL}"),
    (TOO_MANY, KINDS["unknown"], "not seen on pmc0, pmc2")])
def test_each_word(monkeypatch, capsys, effect, samples_of, words):
    lines = lines_of(monkeypatch, capsys, rows(samples_of), effect=effect)
    assert lines == [f"X1, X2 (a guide), branches: {words}"]


def test_right_counts_that_the_program_rejects(monkeypatch, capsys):
    rejected = [row | {"verdict": "off", "reason": "the counter failed its test"} for row in rows()]
    lines = lines_of(monkeypatch, capsys, rejected)
    assert lines == [f"X1, X2 (a guide), branches: not seen on {ALL}"]


def wrong_on(counters):
    """Rows in which these counters count each event twice."""
    return [row | {"min": str(2 * int(row["min"])), "max": str(2 * int(row["max"]))}
            if row["counter"] in counters else row for row in rows()]


def test_a_counter_at_fault_shows_no_erratum(monkeypatch, capsys):
    assert lines_of(monkeypatch, capsys, wrong_on(["pmc1"])) == [
        "X1, X2 (a guide), branches: not seen on pmc0, pmc2"]
    assert lines_of(monkeypatch, capsys, wrong_on(ALL.split(", "))) == [
        f"X1, X2 (a guide), branches: not judged on {ALL}, which count other events wrongly, too"]
    assert lines_of(monkeypatch, capsys, wrong_on(["pmc1"]), EVENTS) == [
        f"X1, X2 (a guide), {event}: confirmed on pmc1: {words}" for event, words in (
            ("instructions", "a n=400 declares 2800, counted 5600"),
            ("branches", f"{LARGEST}2400"), ("loads", "c n=400 declares 1600, counted 3200"))]


def test_errata_of_older_images(monkeypatch, capsys):
    """Older images did not record an erratum's effect, so counts cannot be compared with the
    effect."""
    assert lines_of(monkeypatch, capsys, rows(), effect=None) == []
