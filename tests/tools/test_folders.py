# SPDX-License-Identifier: BSD-2-Clause
"""The folders that the other tests here are made of are like those of the program."""
import folders
import results


def test_a_folder_is_a_run_that_passed(tmp_path):
    found = results.Results(folders.make(tmp_path / "0001", cpus=2, samples=True))
    assert found.status == results.PASSED
    row = next(row for row in found.rows
               if row["kernel"] == "load" and row["event"] == "INST_RETIRED.ANY")
    assert row["median"] == row["expected"] == "6000" and row["per_iteration"] == "6"
    assert len(found.samples) == len(found.rows) * 5


def test_a_changed_row_fails_it(tmp_path):
    def change(row):
        if row["event"] == "INST_RETIRED.ANY":
            row["verdict"] = "off"

    assert results.Results(folders.make(tmp_path / "0001", change=change)).status == results.FAILED
