# SPDX-License-Identifier: BSD-2-Clause
"""A cached proof is used only for the same question, and only if it is complete."""
import shutil

import expect
import proofs
import pytest
from levels import thinned

NAMES, N = ("nops", "load_store"), 7
ANOTHER_N = 8


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """The questions that the prover got. The cache, the prover, the kernels and the host's
    description of its CPUs are temporary.
    """
    of_prover, questions = proofs._asked, []

    def asking(*question):
        questions.append(question)
        return of_prover(*question)
    monkeypatch.setattr(proofs, "_asked", asking)
    monkeypatch.setattr(proofs, "FOLDER", tmp_path / "proofs")
    for name in ("PROVER", "KERNELS_BIN", "CPUS"):
        copy = tmp_path / name
        shutil.copy(getattr(proofs, name), copy)
        monkeypatch.setattr(proofs, name, copy)
    return questions


def proved(names=NAMES, n=N):
    """Ask for a proof, bypassing the cache in this process."""
    counts = proofs.proved.__wrapped__(names, n)
    assert counts == {name: {count: expect.declared(name, count, n) for count in counts[name]}
                      for name in names}
    assert all(set(of) == set(expect.COUNTS) for of in counts.values())
    return counts


def kept():
    path, = [path for path in proofs.FOLDER.iterdir() if not path.suffix]
    return path


def test_asked_once(asked):
    assert proved() == proved() and asked == [(NAMES, N)]


@pytest.mark.parametrize("broken", thinned([
    lambda whole: b"",
    lambda whole: whole[:len(whole) // 2],
    lambda whole: whole.replace(b'"loads": 14', b'"loads": 15'),
    lambda whole: b"\xff" + whole[1:],
    lambda whole: whole.partition(b"\n")[2],
], (2,), "broken files"), ids=["empty", "torn", "changed", "no_text", "no_sum"])
def test_a_broken_file_is_not_taken(asked, broken):
    proved()
    path, whole = kept(), kept().read_bytes()
    assert broken(whole) != whole
    path.write_bytes(broken(whole))
    proved()
    assert len(asked) == 2 and path.read_bytes() == whole


def test_another_questions_file_is_not_taken(asked):
    """The checksum covers the question, so another question's file is not used."""
    proved()
    path, whole = kept(), kept().read_bytes()
    path.unlink()
    proved(n=ANOTHER_N)
    kept().rename(path)
    proved()
    assert len(asked) == 3 and path.read_bytes() == whole


def without_the_last_kernel():
    table, (*_, last) = proofs.KERNELS_BIN.read_bytes(), expect.all_kernels()
    at = table.rindex(last.name.encode("ascii").ljust(32, b"\0")) - 80
    proofs.KERNELS_BIN.write_bytes(table[:at])


def other_prover():
    with open(proofs.PROVER, "ab") as file:
        file.write(b"\0")


def other_cpu():
    proofs.CPUS.write_text(proofs.CPUS.read_text("ascii").replace(" sse2", " sse2 sse9"), "ascii")


@pytest.mark.parametrize("change", thinned(
    [without_the_last_kernel, other_prover, other_cpu], (0,), "changes that need a new proof"))
def test_another_prover_kernel_or_cpu_is_another_question(asked, change):
    proved()
    change()
    proved()
    assert asked == [(NAMES, N)] * 2


def test_other_kernels_or_n_are_another_question(asked):
    proved()
    proved(n=ANOTHER_N)
    proved(names=NAMES[:1])
    assert len(asked) == 3


def test_what_is_not_as_declared_is_not_kept(asked, monkeypatch):
    of_prover = proofs._asked
    monkeypatch.setattr(proofs, "_asked", lambda *question: (of_prover(*question)[0], False))
    proved()
    proved()
    assert len(asked) == 2


def test_a_kernel_that_cannot_be_proved_is_named(asked):
    with pytest.raises(AssertionError, match="not proved: .'core_to_core'"):
        proofs.proved.__wrapped__((*NAMES, "core_to_core"), N)
