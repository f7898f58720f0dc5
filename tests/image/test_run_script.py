# SPDX-License-Identifier: BSD-2-Clause
"""The exit statuses of scripts/run, the files that it copies, and its handling of the stick."""
import csv
import fcntl
import re
import subprocess
import tarfile

import own_kernels
import pytest
import results
import run_schema
from conftest import SHORT, TOP, plan_text
from levels import in_full, thinned
from machine import qemu

RUN_S = 600


@pytest.fixture
def run(tmp_path):
    """run(options…) calls scripts/run with the test's own stick. Returns its status and output."""
    def call(*options, plan=SHORT):
        (tmp_path / "plan.cfg").write_text(plan)
        done = subprocess.run(
            [TOP / "scripts/run", "--cpus", "1", "--plan", tmp_path / "plan.cfg",
             "--stick", tmp_path / "stick.img", "--results", tmp_path / "results",
             "--log", tmp_path / "console.log", *options],
            capture_output=True, text=True, timeout=RUN_S, check=False)
        print(done.stdout, done.stderr)
        run_schema.hold_below(tmp_path)
        return done.returncode, done.stdout + done.stderr
    yield call
    (tmp_path / "stick.img").unlink(missing_ok=True)


def landed(tmp_path):
    with open(tmp_path / "results/index.csv", newline="", encoding="ascii") as file:
        lines = sorted(csv.DictReader(file), key=lambda line: line["number"])
    assert sorted([*(line["folder"] for line in lines), "index.csv", "latest"]) == sorted(
        path.name for path in (tmp_path / "results").iterdir())
    return [tmp_path / "results" / line["folder"] for line in lines]


@in_full("a plan by its name")
def test_a_plan_by_its_name(run, tmp_path):
    status, _ = run("--plan", "quick")
    found, = landed(tmp_path)
    assert status == 0
    assert results.Results(found).run["plan"]["text"] == (
        TOP / "scripts/plans/quick.cfg").read_text("ascii")


def test_passed_then_failed_and_only_new_runs_are_copied(run, tmp_path):
    status, said = run("--keys", "no such text=s", plan=plan_text(runs=2, kernels="empty,nops"))
    first, = landed(tmp_path)
    assert f"\nResults: {first}/\n" in said
    assert re.sub(r"\D", "", results.Results(first).run["started"]) == first.name.replace("-", "")
    assert status == 0 and "Verdict: PASS" in said and "exit status" not in said
    assert "'no such text' was never on the console" in said
    assert results.Results(first).status == results.PASSED
    log = (tmp_path / "console.log").read_text()
    for text in (said, log):
        assert "left" not in text and re.search(r"^nops +- +1000 .* exact$", text, re.M)
    (first / "run.json").unlink()
    status, said = run("--cpu-props", "pmu-mute=on")
    assert status == 1 and "Verdict: FAIL" in said and "\nrun: exit status 1: " in said
    assert not (first / "run.json").exists()
    assert landed(tmp_path)[0] == first and len(landed(tmp_path)) == 2
    assert (tmp_path / "results/latest").resolve() == landed(tmp_path)[1]
    index = (tmp_path / "results/index.csv").read_text()
    assert (index.count("INTERRUPTED"), index.count("FAIL")) == (1, 1)  # run 1: no run.json


@in_full("make run without a PMU")
def test_nothing_to_measure_with(run):
    status, said = run("--machine", "stock", "--cpu", "skylake server")
    assert status == 0 and "Verdict: NOT MEASURED" in said
    assert "CPU:     Skylake-Server: family 6, model 85; no PMU\n" in said
    of_image, of_script = re.findall(r"^Rows:? +(\d.*?)\r?$", said, re.M)
    assert sorted(of_script.split(", ")) == sorted(of_image.split(", "))


@pytest.mark.parametrize("strict, options, ended, verdict", thinned([
    ("no", (), 5, "PASS"), ("yes", (), 5, "NOT MEASURED strict=yes"),
    ("no", ("--cpu-props", "pmu-mute=on"), 1, "FAIL "),
    ("no", ("--machine", "stock"), 5, "NOT MEASURED CPUID"),
], [0], "exit statuses of make run"))
def test_errors_in_the_plan(run, strict, options, ended, verdict):
    """Errors in the plan decide the exit status only if no row is `off`."""
    status, said = run(*options, plan=plan_text(runs=2, kernels="empty", bogus=1, strict=strict))
    line, = re.findall(r"^Verdict: (.*)$", said, re.M)
    assert status == ended and line.startswith(verdict) and line.endswith(", 1 plan error")
    assert f"\nrun: exit status {ended}: " in said and "incomplete" not in said


@in_full("make run with registers that refuse an access")
def test_registers_that_refuse_are_a_failure(run):
    status, said = run("--cpu-props", f"pmu-gp-msr={0x38f}")
    assert status == 1 and "Verdict: FAIL" in said


def test_cut_off_before_there_are_results(run):
    status, said = run("--timeout", "1")
    assert status == 3 and "stopped after 1 s" in said and "no results" in said


@in_full("make run of a run that is cut off")
def test_cut_off_in_the_middle(run, tmp_path):
    """The folder of an interrupted run is copied. After the next boot, the files that this boot
    makes for the interrupted run are copied into the same folder. On a busy host, the run makes its
    folder later, so longer timeouts are tried too.
    """
    for timeout_s in (10, 30, 120):
        status, said = run("--fresh", "--timeout", str(timeout_s),
                           plan=plan_text(n=1000000000, runs=1000, label="cut"))
        assert status == 3
        if any((tmp_path / "results").glob("*-cut/journal.bin")):
            break
    cut, = landed(tmp_path)
    assert "incomplete" in said and not (cut / "run.json").exists()
    status, said = run()
    first, second = landed(tmp_path)
    assert status == 0 and f"\nAlso:    {cut}/\nResults: {second}/\n" in said
    assert first == cut and results.Results(cut).run["complete"] is False


def test_a_cpu_that_there_is_not(run):
    status, said = run("--cpu", "Sapphire Rapids")
    assert status == 2 and "nearest: Icelake-Server. It has\n  Nehalem " in said


@pytest.mark.parametrize("media, server", thinned([
    ("net", "tftp://10.0.2.2"), ("net-http", "http://10.0.2.2")],
    [0], "network protocol of make run"))
def test_boot_from_servers_of_its_own(run, tmp_path, media, server):
    """The servers of scripts/run offer the plan, the kernel and the program, and get the results.
    """
    (tmp_path / "Mine.bin").write_bytes(own_kernels.loop("mine"))
    status, said = run("--media", media, "--kernel", tmp_path / "Mine.bin", plan=plan_text(
        runs=2, kernels="empty,mine", label="far") + "[results]\nserver=http://192.0.2.1/\n")
    folder, = landed(tmp_path)
    assert status == 0 and f"\nResults: {folder}/\n" in said
    assert "plan, events and kernels come from " + server in re.sub(r"\s+", " ", said)
    found = results.Results(folder)
    assert {row["kernel"] for row in found.rows} == {"empty", "mine"}
    assert folder.name.endswith("-far") and f"server={server}" in found.run["plan"]["text"]
    assert "192.0.2.1" not in found.run["plan"]["text"] + said
    sent, = (tmp_path / "stick.net/in").glob("*-0001-run.json")
    assert sent.read_bytes() == (folder / "run.json").read_bytes()


def test_host_errors(run, tmp_path):
    status, said = run("--program", tmp_path / "none")
    assert status == 4 and "none" in said and "run: exit status 4: " in said
    with open(tmp_path / "stick.img.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status, said = run()
    assert status == 4 and "another run uses this stick" in said


def machine_text(name):
    with tarfile.open(TOP / "tests/cpus/machines.tar.xz") as archive:
        return archive.extractfile(f"{name}.txt").read().decode("ascii")


def test_cpus_like_those_of_a_machine_file(run, tmp_path):
    """This Ice Lake has AVX2, which QEMU emulates, and AVX-512, which QEMU does not emulate."""
    (tmp_path / "machine.txt").write_text(machine_text("GenuineIntel00706E5_IceLakeY_CPUID2"))
    status, said = run("--machine-file", tmp_path / "machine.txt", "--cpu-props",
                       "hypervisor=off")
    found, = landed(tmp_path)
    cpu, = results.Results(found).run["cpus"]
    assert results.Results(found).run["machine"]["hypervisor"] == ""
    assert status == 0 and cpu["model"] == 0x7e and "i5-1035G4" in cpu["brand"]
    assert re.search(r"^CPU:     .* i5-1035G4 .*, family 6, model 126; 1 CPU, like the 8 CPUs",
                     said, re.M)
    masked = re.search(r"^Masked:(( .*\n)+)", said, re.M)[1].split()
    assert "avx512f" in masked and "avx2" not in masked and len(set(masked)) == len(masked)
    assert "avx2" in cpu["kernel_features"] and "avx512f" not in cpu["kernel_features"]


ALDER_LAKE = "GenuineIntel00906A2_AlderLakeP_00_CPUID"


@pytest.mark.parametrize("text, options, told", [
    ("no machine", (), "has no section `cpu 0`: expected a machine file"),
    ("# a CPU\ncpu 0\n0 0 2 756e6547 6c65746e 49656e69\n", (),
     "CPU 0 has no CPUID leaf 1H or 80000000H or 80000001H"),
    ("barecount machine file 1\ncpu 0\n0 0 2 756e6547 6c65746e 49656e69\n", (), "was cut off"),
    ("AuthenticAMD0100F22_K10_Agena_CPUID", (), "the CPU is of AuthenticAMD"),
    ("GenuineIntel0010650_Tolapai_CPUID", (), "the CPU has no PMU"),
    ("GenuineIntel0020672_Medfield_CPUID", (), "the CPU has no 64-bit mode"),
    ("# a CPU\ncpu 0\n0 0 x\n", (), "line 3 is not understood: 0 0 x"),
    (ALDER_LAKE, (), "has 2 kinds of cores, so it needs at least 2 CPUs (CPUS=2)"),
    (ALDER_LAKE, ("--machine", "stock"), "--machine-file needs --machine model or newest"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_machine_files_that_do_not_fit(run, tmp_path, text, options, told):
    path = tmp_path / "machine.txt"
    path.write_text(machine_text(text) if "_" in text else text)
    status, said = run("--machine-file", path, *options)
    assert status == 2 and told in re.sub(r"\s+", " ", said)


def test_a_machine_file_whose_path_has_a_comma(run, tmp_path):
    (tmp_path / "a,b.txt").write_text(machine_text(ALDER_LAKE))
    status, said = run("--machine-file", tmp_path / "a,b.txt", "--cpus", "2")
    assert status == 2 and "whose path has a comma" in said


@pytest.mark.parametrize("change, props, told", [
    (("", ""), "pmu-gp=4", "pmu-machine sets the PMU: remove the properties"),
    (("\na 0 ", "\na 0 0 "), "", "is not a leaf or an MSR: a 0 0 "),
    (("", ""), "pmu-machine-cpu=99", "the file has no CPU 99"),
])
def test_machine_files_that_qemu_refuses(tmp_path, change, props, told):
    path = tmp_path / "machine.txt"
    path.write_text(machine_text(ALDER_LAKE).replace(*change))
    done = subprocess.run(
        [qemu.MODEL_QEMU, "-display", "none", "-cpu", f"qemu64,pmu=on,pmu-machine={path},{props}"],
        stderr=subprocess.PIPE, text=True, timeout=RUN_S, check=False)
    assert done.returncode == 1 and told in done.stderr
