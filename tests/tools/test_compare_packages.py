# SPDX-License-Identifier: BSD-2-Clause
"""scripts/compare compares uncore counts only with uncore counts."""
import pytest

from compare import rows
from compare import machines
from compare import source
from events import codes
import folders
from foreign import formats
from foreign import files
import results

EVENTS = (*folders.EVENTS, folders.DRAM_READ, folders.ENERGY)
KERNELS = [folders.Kernel(f"k{i}", {"instructions": (0, 3), "branches": (0, 1), "cycles": (0, 9),
                                    "lines_read": (640 * i, 64), "energy": (0, 7)})
           for i in range(1, 6)]
N = KERNELS[0].n
SAID = ("perf counts uncore events in all packages, from the start of the program to its end, "
        "whereas the image counts one package, and only during the kernel")


def folder(path, change=None, change_run=None, events=EVENTS, **other):
    return source.folder(folders.make(path, 2, KERNELS, events, change=change,
                                              change_run=change_run, **other))


def verdicts(result, event):
    return [(row.cpu, row.verdict) for row in result.rows if row.event == event]


def test_two_runs_of_one_machine(tmp_path):
    def more(row):
        if row["event"] == "dram_read_bytes" and row["kernel"] == "k3":
            row |= dict.fromkeys(("min", "median", "mean", "max", "q1", "q3"),
                                 str(2 * int(row["median"])))

    result = rows.compare(folder(tmp_path / "1"), folder(tmp_path / "2", more))
    read = verdicts(result, "dram_read_bytes")
    assert read == [("0", "high" if kernel.name == "k3" else "same") for kernel in KERNELS]
    assert verdicts(result, "package_energy_uJ") == [("0", "same")] * len(KERNELS)
    assert result.status == rows.DIFFERENT and result.count("missing") == 0


def test_it_is_not_held_against_a_core_s_count_of_that_name(tmp_path):
    cores = folders.Event("dram_read_bytes", "r04d1", "lines_read", "pmc3", ring="both")
    events = (*folders.EVENTS, cores)
    for name, one, other in (("a", EVENTS[:-1], events), ("b", events, EVENTS[:-1])):
        result = rows.compare(folder(tmp_path / f"{name}1", events=one),
                                 folder(tmp_path / f"{name}2", events=other))
        found = {verdict for _, verdict in verdicts(result, "dram_read_bytes")}
        assert found == {"missing"} and result.status == rows.SAME


def test_one_that_is_compared_is_not_all_of_them(tmp_path):
    """Only one folder contains package_energy_uJ, but both contain dram_read_bytes."""
    both = folder(tmp_path / "1"), folder(tmp_path / "2", events=EVENTS[:-1])
    for one, other in (both, both[::-1]):
        result = rows.compare(one, other)
        assert verdicts(result, "package_energy_uJ") == [("0", "missing")] * len(KERNELS)
        assert verdicts(result, "dram_read_bytes") == [("0", "same")] * len(KERNELS)


def test_linux_does_not_count_it(tmp_path):
    why = "barecount-linux does not count uncore events"

    def unavailable(row):
        if row["scope"] == results.PACKAGE:
            row |= {"verdict": "unavailable", "reason": why, "runs": "0", "rate": "",
                    "rate_unit": "", **dict.fromkeys(("min", "median", "mean", "max"), "")}
        elif row["event"] != "TSC":
            row["ring"] = "usr"

    result = rows.compare(folder(tmp_path / "1"), folder(
        tmp_path / "2", unavailable, lambda run: run.update(source="linux")))
    reasons = {row.reason for row in result.rows if row.event == "dram_read_bytes"}
    assert reasons == {f"unavailable: {why}"} and result.status == rows.SAME


@pytest.mark.parametrize("text, event", [
    ("uncore_imc/cas_count_read/", "dram_read_bytes"),
    ("uncore_imc_3/cas_count_write/", "dram_write_bytes"),
    ("uncore_imc_free_running_0/data_read/", "dram_read_bytes"),
    ("power/energy-pkg/", "package_energy_uJ"), ("power/energy-ram/", "dram_energy_uJ"),
    ("uncore_cha/event=0x34,umask=0x11/", "uncore_cha/event=0x34,umask=0x11/"),
    ("amd_l3/event=0x4,umask=0xff/", "amd_l3/event=0x4,umask=0xff/"),
    ("amd_umc_0/event=0xa/", "amd_umc_0/event=0xa/"), ("amd_iommu_0/mem_pass/", ""),
    ("UNC_M_CAS_COUNT.RD", "UNC_M_CAS_COUNT.RD"), ("cpu/event=0xc0/", ""), ("cstate_core/c6/", ""),
    ("instructions:u", "")])
def test_perf_s_names_of_it(text, event):
    assert codes.outside_cores(text) == event


def test_perf_s_counts_of_it_are_refused(tmp_path):
    """perf counts uncore events in all packages during the whole program. The image counts them in
    one package, during the kernel.
    """
    file = tmp_path / "perf.csv"
    file.write_text("".join(f"{line},1000000,100.00,,\n" for line in (
        f"{3 * N},,instructions:u", "12.50,MiB,uncore_imc/cas_count_read/",
        "0.31,Joules,power/energy-pkg/", "1.00,MiB,uncore_imc/cas_count_write/")), "ascii")
    other = files.load(file, formats.Subject("k1"))
    result = rows.compare(folder(tmp_path / "1", lambda row: row.update(
        ring="" if row["scope"] == results.PACKAGE else "usr")), other)
    found = {row.event: (row.verdict, row.reason, row.reference) for row in result.rows
             if row.verdict != "missing"}
    assert found["INST_RETIRED.ANY"][::2] == ("same", 3 * N)
    assert found["dram_read_bytes"] == ("refused", SAID, 640 + 64 * N)
    assert found["package_energy_uJ"] == ("refused", SAID, 7 * N)
    assert found["dram_write_bytes"] == ("refused", SAID, None)


def test_machines_side_by_side(tmp_path):
    cores = folders.Event("dram_read_bytes", "r04d1", "branches", "pmc3", ring="both")
    events = (*folders.EVENTS, cores, folders.DRAM_READ)
    result = machines.compare([folder(tmp_path / name, events=events) for name in "ab"])
    medians = [row.medians for row in result.rows
               if (row.kernel, row.event) == ("k1", "dram_read_bytes")]
    assert sorted(medians) == [(N, N), (640 + 64 * N,) * 2]
