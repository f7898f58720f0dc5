# SPDX-License-Identifier: BSD-2-Clause
"""The folders that the other tests here are made of are like those of the program."""
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
