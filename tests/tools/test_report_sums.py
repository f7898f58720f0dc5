# SPDX-License-Identifier: BSD-2-Clause
"""The report's section on sums that must hold."""
import pytest

import folders
import results
from report.folder import Folder
from test_report import page_of

AGREES = {"what": "A + B = C", "agrees": 12, "differs": 0, "differences": []}
DIFFERS = {"what": "MEM_LOAD_RETIRED.L1_HIT + L1Miss <= Loads", "agrees": 1, "differs": 2,
           "differences": [{"cpu": 3, "kernel": "load", "param": "size=4096", "n": 1000,
                            "sum": 1040, "total": 1000, "tolerance": 2,
                            "verdict": "differs by 40 (4 %)"}]}


def made(tmp_path, sums, **more):
    return folders.make(tmp_path / "0001", change_run=lambda run: run.update(sums=sums, **more))


def test_those_that_agree_and_those_that_differ(tmp_path):
    section = page_of(made(tmp_path, [AGREES, DIFFERS])).section("sums")
    tables = [[[cell.text for cell in line.children] for line in table.all("tr")]
              for table in section.all("table")]
    assert tables == [
        [["Sum", "Agrees, times", "Differs, times"], ["A + B = C", "12", "0"],
         [DIFFERS["what"], "1", "2"]],
        [["Kernel", "CPU", "Sum", "Total", "Tolerance", "Verdict"],
         ["loadn=1000, size=4096", "3", "1040", "1000", "2", "differs by 40 (4 %)"]]]
    assert "and 1 more" in section.text and "more sums than" not in section.text
    assert [cell.text for cell in section.all("td") if "bad" in cell.attributes.get("class", "")] \
        == ["2", "differs by 40 (4 %)"]


def test_sums_that_were_left_out(tmp_path):
    section = page_of(made(tmp_path, [AGREES], sums_left_out=True)).section("sums")
    assert "The run has more sums than were checked." in section.text


@pytest.mark.parametrize("sums", [[], None])
def test_no_sums_no_section(tmp_path, sums):
    """Runs of older programs have no sums."""
    folder = made(tmp_path, sums) if sums is not None else folders.make(tmp_path / "0001")
    assert "sums" not in page_of(folder).sections()


@pytest.mark.parametrize("sums", [{}, [{"what": "A = B"}], [{**AGREES, "agrees": "12"}],
                                  [{**DIFFERS, "differences": [{"cpu": 1}]}]])
def test_sums_that_are_none(tmp_path, sums):
    with pytest.raises(results.Unreadable, match="sums"):
        Folder(made(tmp_path, sums))
