# SPDX-License-Identifier: BSD-2-Clause
"""Parameters of kernels, words that select kernels, and code in a plan."""
import collections

import pytest

from conftest import RUNS, plan_text
from expect import complaints
from levels import in_full, thinned

HEAD = plan_text(cpus="boot")
PAT = 0x277  # IA32_PAT
INSTRUCTIONS, LOADS = "INST_RETIRED.ANY", "MEM_INST_RETIRED.ALL_LOADS"
STORES, BRANCHES = "MEM_INST_RETIRED.ALL_STORES", "BR_INST_RETIRED.ALL_BRANCHES"


def row_of(left, kernel, event=INSTRUCTIONS, param="", cpu="0"):
    row, = (r for r in left.results.rows if
            (r["kernel"], r["event"], r["param"], r["cpu"]) == (kernel, event, param, cpu))
    return row


def test_parameters(boot):
    """The column `param` lists the values, sorted by key; sizes are in bytes."""
    left = boot(cpus=1, plan=plan_text(cpus="boot", runs=2, warmup=1) + "[kernels]\n"
                "load size=4K,2M page=4K\nload page=2M\n"
                "load memory=wb page=4K\nstore size=8K n=10,20\nmemory size=16K\n")
    found = collections.Counter(
        (r["kernel"], r["param"], r["n"], r["verdict"]) for r in left.results.rows
        if r["event"] == INSTRUCTIONS)
    # The default n goes through the buffer once: size/4 or size/8 here. With page=2M, the buffer
    # has at least 2 MiB.
    wanted = [("load", param, str(size // 4)) for param, size in (
        ("page=4096;size=4096", 4096), ("page=4096;size=2097152", 2 << 20),
        ("page=2097152", 2 << 20), ("memory=wb;page=4096", 4096), ("size=16384", 16384))]
    wanted += [("store", "size=8192", "10"), ("store", "size=8192", "20"),
               ("store", "size=16384", "4096"), ("load_store", "size=16384", "2048")]
    assert found == {(*key, "exact"): 1 for key in wanted}
    assert not left.results.run["errors"] and left.verdict == "PASS"
    for shown in ("load 4K page=4K", "load 2M page=4K", "load page=2M", "store 8K n=10"):
        assert shown in left.console
    sizes = {k["buffer_bytes"] for k in left.results.run["kernels"]}
    assert sizes == {4096, 2 << 20, 8192, 16384}
    assert {row["cold"] for row in left.results.rows if row["n"] in ("10", "20")} == {"yes"}
    assert {row["cold"] for row in left.results.rows if row["n"] not in ("10", "20")} == {"no"}


def test_memory_types(boot):
    """IA32_PAT's entry for WC, with the value 1 (Intel SDM vol. 3A "PAT Entries"), exists only
    while a kernel needs it.
    """
    left = boot(cpus=1, plan=plan_text(cpus="boot", runs=2) + "[kernels]\n"
                "load_store memory=wc page=2M\nload_store memory=uc,wt\nload_store\n"
                f"[msr before]\nread {PAT:#x}\n")
    params = ("memory=wc;page=2097152", "memory=uc", "memory=wt", "")
    for param in params:
        for event in (INSTRUCTIONS, LOADS, STORES):
            assert row_of(left, "load_store", event, param)["verdict"] == "exact"
    wc, *others = (int(row_of(left, "load_store", f"msr:{PAT:#x}:before", param)["min"])
                   for param in params)
    assert wc == others[0] & ~(0xff << 56) | 1 << 56 and len(set(others)) == 1
    assert 1 not in others[0].to_bytes(8, "little")
    assert not left.results.run["errors"] and left.verdict == "PASS"


def test_what_a_kernel_does_not_take(boot):
    lines = {"nops size=4K": "uses no memory",
             "nops memory=uc,wc": "uses no memory",
             "load_store size=4K,6K": "size=4K and 6K are smaller than what it uses, 8000",
             "load size=4K..12K+4K page=2M": "size=4K, 8K and 12K are smaller than a page of 2M",
             "load stride=1..50+1": "load has no argument 'stride'",
             "memory stride=1..50+1": "no kernel of 'memory' accepts this line; load has no",
             "nopz": "there is no kernel or family 'nopz'; nearest: nops",
             "stick": "there are no kernels for the word 'stick'",
             "mine n=5": "mine takes no n=5"}
    text = HEAD + "[code mine]\ncode=90\n[code nops]\ncode=90\n[kernels]\nempty\n"
    first = len(text.splitlines()) + 1
    left = boot(cpus=1, plan=text + "\n".join(lines) + "\n")
    errors = left.results.run["errors"]
    for number, says in enumerate(lines.values(), first):
        assert sum(f"plan.cfg:{number}:" in e and says in e for e in errors) == 1, (says, errors)
    assert any("[code nops] is left out, because 'nops' is a kernel's name: give it another name"
               in e for e in errors)
    assert len(errors) == len(lines) + 1
    assert len([c for c in complaints(left) if "plan.cfg:" in c]) == len(errors)
    assert {r["kernel"] for r in left.results.rows} == {"empty"}


CODE = """
[code three]
code=48 ff c0 50 58
unroll=10
loop=20
[code load_and_branch]
code=48 8b 06 eb 00
init=48 31 c0 0f a2
[code everywhere]
code=49 89 06 48 89 07 48 89 06 48 89 45 00
unroll=3
"""
# Instructions, loads, stores and branches of each copy of the code.
COUNTS = {"three": (3, 1, 1, 0), "load_and_branch": (2, 1, 0, 1), "everywhere": (4, 0, 4, 0)}


@pytest.mark.parametrize("keys", thinned(
    [{}, {"mode": "parallel"}], (0,), "mode of code in a plan"))
def test_code(boot, keys):
    """The count per copy excludes the loop, the window, and init, which executes CPUID."""
    left = boot(cpus=2, plan=plan_text(kernels="code,empty", **keys) + CODE)
    for cpu in "01":
        for name, counts in COUNTS.items():
            for event, count in zip((INSTRUCTIONS, LOADS, STORES, BRANCHES), counts):
                row = row_of(left, name, event, cpu=cpu)
                loop = 20 if name == "three" and event in (INSTRUCTIONS, BRANCHES) else 0
                assert float(row["per_iteration"]) == count, (name, event, row)
                assert row["verdict"] == "measured" and row["runs"] == str(RUNS)
                assert float(row["min"]) >= count * int(row["n"]) + loop
        assert row_of(left, "empty", cpu=cpu)["verdict"] == "exact"
    assert row_of(left, "three")["n"] == "200" and left.verdict == "PASS"
    # 4 LEA, 2 instructions of init, 100 copies of 2 instructions
    assert row_of(left, "load_and_branch")["min"] == str(4 + 2 + 200)
    families = {k["name"]: k["title"] for k in left.results.run["kernels"]}
    assert "in a loop" in families["three"] and "loop" not in families["everywhere"]


@in_full("kernels that run by default")
def test_code_is_run_by_default(boot):
    """Without [kernels], the kernels with declared counts and the plan's code are run."""
    left = boot(cpus=1, plan=plan_text(runs=2) + CODE)
    names = {r["kernel"] for r in left.results.rows}
    assert set(COUNTS) < names and {"empty", "load", "rep_movsb"} < names
    left = boot(cpus=1, plan=plan_text(runs=2, kernels="three") + CODE)
    assert {r["kernel"] for r in left.results.rows} == {"three"}


def test_words(boot):
    left = boot(cpus=1, plan=plan_text(runs=2, kernels="memory,call_ret"))
    assert {r["kernel"] for r in left.results.rows} >= {"load", "store", "load_store", "call_ret"}
    assert "empty" not in {r["kernel"] for r in left.results.rows}
    assert left.verdict == "PASS"


@in_full("more kernels than there is room for")
def test_more_kernels_than_there_is_room_for(boot):
    """The journal's limit is 1024 kernels."""
    line = len(HEAD.splitlines()) + 2
    left = boot(cpus=1, plan=HEAD + "[kernels]\nknown n=1..100+1\n", new_runs=None,
                cut_at=rf"plan\.cfg:{line}:\s+expected at most 1024 kernels \(each")
    assert f"1 CPU, 1024 kernels, {RUNS} runs" in left.console


def test_code_at_cpl_3(boot):
    left = boot(cpus=1, plan=plan_text(kernels="load_and_branch,everywhere", cpl=3, ring="usr") +
                CODE)
    for name in ("load_and_branch", "everywhere"):
        for event, count in zip((INSTRUCTIONS, LOADS, STORES, BRANCHES), COUNTS[name]):
            assert float(row_of(left, name, event)["per_iteration"]) == count
    assert left.verdict == "PASS"
