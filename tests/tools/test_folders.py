# SPDX-License-Identifier: BSD-2-Clause
"""The folders that tests generate are like the program's folders."""
import pytest

import folders
import results


def test_a_folder_is_a_run_that_passed(tmp_path):
    found = results.Results(folders.make(tmp_path / "0001", cpus=2, samples=True))
    assert found.status == results.PASSED
    row = next(row for row in found.rows
               if row["kernel"] == "load" and row["event"] == "INST_RETIRED.ANY")
    assert row["median"] == row["expected"] == "6000" and row["per_iteration"] == "6"
    assert len(found.samples) == len(found.rows) * 5


@pytest.mark.parametrize("seed, said", [
    (lambda run: run.pop("kernels"), "it: 'kernels' is missing"),
    (lambda run: run.update(kernels=7), "kernels: expected a list, found int 7"),
    (lambda run: run.update(kernels=[None]), "kernels.0.: expected an object"),
    (lambda run: run["plan"].pop("cpus"), "plan: 'cpus' is missing"),
    (lambda run: run["plan"].update(cpus="2"), "plan.cpus: expected a whole number, found str"),
    (lambda run: run.update(verdict=[]), "verdict: expected an object"),
    (lambda run: run["verdict"].update(line=None), "verdict.line: expected a text"),
    (lambda run: run.update(source=["linux"]), "source: expected a text"),
])
def test_what_is_computed_with_has_its_type(tmp_path, seed, said):
    with pytest.raises(results.Unreadable, match=f"run.json: not as the program writes it: {said}"):
        results.Results(folders.make(tmp_path / "0001", change_run=seed))


def test_parameters_that_run_json_does_not_tell_are_those_of_the_rows(tmp_path):
    """Before schema 4, run.json had no parameters. For such a run, the rows give the parameters,
    in the order of the rows.

    If one of several kernels with the same name lacks rows, none of them gets parameters.
    """
    def forget(run):
        for kernel in run["kernels"]:
            del kernel["param"]

    counts = {"cycles": (0, 5)}
    kernels = [folders.Kernel("chase", counts, param=f"size={size}") for size in (4096, 8192)]
    path = folders.make(tmp_path / "0001", kernels=kernels, change_run=forget)
    assert [one["param"] for one in results.Results(path).run["kernels"]] == ["size=4096",
                                                                             "size=8192"]
    lines = (path / "results.csv").read_text("ascii").splitlines(keepends=True)
    (path / "results.csv").write_text("".join(line for line in lines if "8192" not in line))
    assert [one["param"] for one in results.Results(path).run["kernels"]] == ["", ""]


def test_what_stands_before_a_line_that_is_cut_off_can_be_read(tmp_path):
    path = folders.make(tmp_path / "0001") / "results.csv"
    rows = list(results.read_table(path, results.HEADER))
    path.write_bytes(path.read_bytes()[:-2])
    read = []
    with pytest.raises(results.CutOff, match=f"line {len(rows) + 1} is cut off"):
        for row in results.read_table(path, results.HEADER):
            read.append(row)
    assert read == rows[:-1]


def test_a_changed_row_fails_it(tmp_path):
    def change(row):
        if row["event"] == "INST_RETIRED.ANY":
            row["verdict"] = "off"

    assert results.Results(folders.make(tmp_path / "0001", change=change)).status == results.FAILED
