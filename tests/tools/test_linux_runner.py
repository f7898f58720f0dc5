# SPDX-License-Identifier: BSD-2-Clause
"""The command line, errors and files of barecount-linux, without a PMU."""
import csv
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts/lib"))
sys.dont_write_bytecode = True

import results  # noqa: E402
import run_schema  # noqa: E402
from levels import host_cannot  # noqa: E402

PROGRAM = TOP / "build/barecount-linux"
PASS, FAIL, USAGE, INCOMPLETE, ERROR, PLAN_ERRORS = range(6)
BOUND_S = 600  # for about a second of work, since the host may be busy
NEVER_MS = 3600000  # longer than BOUND_S
PATIENT_MS, SPINS_S = 6000, 0.2  # enough even on a 20 times slower host
PLAN = "version=1\n[run]\nruns=3\ncpus={cpu}\nnoise_ms=0\n{more}\n"
# Kernels that go wrong: their code, and the verdict and reason of their rows. 0f 0b is UD2, cc is
# INT3, fd is STD, f7 f1 divides by ECX, which 31 c9 clears, and eb fe jumps to itself. "wild"
# stores at 1000H, "deep" pushes more than the 64 KiB of its stack, "stack" pushes with RSP = 0,
# "control" loads an MXCSR that rounds down, and "exits" calls exit.
WRONG = {
    "invalid": ("code=0f 0b", "fault",
                r"#UD \(6\), error code 0x0, at code\+0x0, in copy 1 of 100$"),
    "breakpoint": ("code=cc", "fault", r"#BP \(3\)"),
    "division": ("init=31 c9 f7 f1\ncode=90\nunroll=1", "fault",
                 r"#DE \(0\).* at init\+0x2$"),
    "wild": ("code=48 89 04 25 00 10 00 00\nunroll=1", "fault",
              r"#PF \(14\), error code 0x6, at code\+0x0, in copy 1 of 1, address 0x1000$"),
    "deep": ("code=50\nunroll=10000", "fault", r"#PF \(14\), error code 0x6, at code\+0x0, "
             r"in copy 81[89]\d of 10000, address stack-0x8, 8 bytes below it$"),
    "stack": ("code=31 e4 50\nunroll=1", "fault", r"#(PF|SS|GP) "),
    "direction": ("code=fd\nunroll=1", "fault", "must leave alone: RFLAGS"),
    "control": ("code=c7 44 24 f8 80 3f 00 00 0f ae 54 24 f8\nunroll=1", "fault",
                "must leave alone: MXCSR$"),
    "exits": ("code=b8 3c 00 00 00 0f 05\nunroll=1", "fault", "ended its process"),
    "hangs": ("code=eb fe\nunroll=1", "timeout", "did not return within its time limit"),
}


@pytest.fixture(scope="session", autouse=True)
def program():
    subprocess.run(["make", "-s", "linux"], cwd=TOP, check=True)


def run(*words, cwd, **more):
    done = subprocess.run([PROGRAM, *map(str, words)], cwd=cwd, capture_output=True, text=True,
                          timeout=BOUND_S, stdin=subprocess.DEVNULL, check=False, **more)
    run_schema.hold_below(cwd)
    return done


def a_cpu():
    return min(os.sched_getaffinity(0))


def plan(folder, more=""):
    path = folder / "plan.cfg"
    path.write_text(PLAN.format(cpu=a_cpu(), more=more), "utf-8")
    return path


def rows(folder, number=1):
    with open(folder / f"barecount-results/{number:04}/results.csv", newline="",
              encoding="utf-8") as file:
        return list(csv.DictReader(file))


def has_pmu(said):
    return "PMU       none" not in said and "not supported" not in said


def test_help_and_version(tmp_path):
    done = run("--help", cwd=tmp_path)
    assert done.returncode == PASS
    for option in ("plan", "out", "cpus", "events", "kernels", "list-kernels", "list-events",
                   "check-plan", "once", "n", "help", "version"):
        assert f"--{option}" in done.stdout
    assert re.fullmatch(r"barecount-linux \d+\.\d+\.\d+\n", run("--version", cwd=tmp_path).stdout)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words, status, said", [
    (["--nonsense"], USAGE, "nonsense"),
    (["--plna", "x"], USAGE, "nearest: --plan\n"),
    (["--once", "lod"], ERROR, "there is no kernel or family 'lod'; nearest: load"),
    (["word"], USAGE, "unexpected 'word'"),
    (["--once"], USAGE, "requires an argument"),
    (["--once", "nops", "--n", "0"], USAGE, "--n: expected a number from 1 to"),
    (["--once", "nops", "--n", "x"], USAGE, "found 'x'"),
    (["--once", "nops", "--n", "1G"], USAGE, "found '1G'"),
    (["--n", "5"], USAGE, "--n is for --once"),
    (["--out", "./" * 1901], USAGE, "--out: expected a path of at most 3800 characters"),
    (["--cpus", "x"], USAGE, "--cpus: expected all, boot, .* found 'x'"),
    (["--cpus", ",".join(["0"] * 1000)], USAGE, "--cpus: the list is too long"),
    (["--once", "no_such"], ERROR, "there is no kernel or family 'no_such'; --list-kernels"),
    (["--once", "nops", "again"], ERROR, "--once: expected n=, size=, .* found 'again'"),
    (["--once", "nops", "size=4K"], ERROR, "--once: nops uses no memory"),
    (["--once", "nops n=5", "--n", "6"], ERROR, "--once: n appears twice in this line"),
    (["--once", "load", "memory=uc"], ERROR, "Linux gives programs write-back memory only"),
    (["--once", "load", "size=4K,8K"], ERROR, "kernel, but 'load size=4K,8K' selects 2; name one"),
    (["--once", "chase"], ERROR, "runs one kernel, but 'chase' selects 3; name one"),
    (["--once", "x" * 256], USAGE, "--once: expected at most 255 characters"),
    (["--once", "core_to_core"], ERROR, "roles for several CPUs|there is no kernel"),
    (["--plan", "missing.cfg"], ERROR, "--plan missing.cfg: No such file"),
    (["--plan", "."], ERROR, "--plan .: Is a directory"),
    (["--kernels", "missing"], ERROR, "--kernels missing: No such file"),
    (["--events", "missing"], ERROR, "--events missing: No such file"),
    (["--cpus", "1023"], ERROR, r"cpus: CPU 1023 does not exist"),
])
def test_errors_of_use(tmp_path, words, status, said):
    done = run(*words, cwd=tmp_path)
    assert done.returncode == status
    assert re.search(said, done.stderr), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_results_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    done = run("--plan", plan(tmp_path, "kernels=nops"), "--out", "file", cwd=tmp_path)
    assert done.returncode == ERROR and "file: Not a directory" in done.stderr
    assert (tmp_path / "file").read_text() == ""
    done = run("--plan", plan(tmp_path, "kernels=nops"), "--out", "no/such", cwd=tmp_path)
    assert done.returncode == ERROR and "no/such: No such file" in done.stderr


def test_all_numbers_are_used(tmp_path):
    for number in range(1, 10000):
        (tmp_path / f"full/{number:04}").mkdir(parents=True)
    done = run("--plan", plan(tmp_path, "kernels=nops"), "--out", "full", cwd=tmp_path)
    assert done.returncode == ERROR and "full has all runs up to 9999; --out" in done.stderr


def limit():
    """Limits files to 6,500 bytes; with SIGXFSZ ignored, a longer write is only an error."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6500, 6500))


def test_a_journal_that_cannot_be_written(tmp_path):
    done = run("--plan", plan(tmp_path, "kernels=nops"), cwd=tmp_path, preexec_fn=limit)
    assert done.returncode == ERROR
    assert done.stderr == "barecount-linux: barecount-results/0001/journal.bin: File too large\n"
    assert {row["kernel"] for row in rows(tmp_path)} == {"nops"}


def test_a_plan_from_a_pipe(tmp_path):
    """An error about CPUs that do not exist names the plan's line."""
    command = f"{PROGRAM} --check-plan --plan <(cat {plan(tmp_path, 'kernels=nops')})"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True,
                          timeout=BOUND_S, check=False)
    assert done.returncode == PASS and "The plan has no errors." in done.stdout, done.stderr
    path = tmp_path / "plan.cfg"
    path.write_text("version=1\n[run]\ncpus=1022\nkernels=nops\n", "utf-8")
    done = run("--plan", path, cwd=tmp_path)
    assert done.returncode == ERROR and f"{path}:3: cpus: CPU 1022 does not exist" in done.stderr


def linux_says_caches(cpu):
    """The caches that Linux knows, in the order of CPUID's subleaves."""
    types = {"Data": "data", "Instruction": "code", "Unified": "unified"}
    for index in sorted(pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/cache").glob("index*")):
        level, kind, size = ((index / name).read_text().strip()
                             for name in ("level", "type", "size"))
        yield {"level": int(level), "type": types[kind], "bytes": 1024 * int(size.rstrip("K"))}


def test_what_a_run_writes(tmp_path):
    path = plan(tmp_path, "kernels=nops,loop_dec_jnz")
    for number in (1, 2):
        done = run("--plan", path, cwd=tmp_path)
        assert done.returncode in (PASS, FAIL), done.stderr
        folder = tmp_path / f"barecount-results/{number:04}"
        assert {file.name for file in folder.iterdir()} == {
            "results.csv", "summary.txt", "summary.html", "samples.csv", "run.json", "journal.bin"}
        told = (folder / "summary.txt").read_text("ascii").splitlines()
        assert told == [line for line in done.stdout.splitlines()
                        if not line.startswith(("Results ", "Time      about "))]
        run_schema.read(folder)
    index = (tmp_path / "barecount-results/index.csv").read_text().splitlines()
    assert len(index) == 3 and index[0].startswith("number,")
    told = json.loads((folder / "run.json").read_text("utf-8"))
    assert told["schema"] == 7 and told["source"] == "linux" and told["complete"]
    assert told["linux"]["kernel"] == os.uname().release
    assert told["linux"]["read_by"] == "ioctl"
    assert told["linux"]["perf_event_paranoid"] == int(
        pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    (cpu,) = told["cpus"]
    assert cpu["caches"] == list(linux_says_caches(cpu["cpu"]))
    assert {row["kernel"] for row in rows(tmp_path)} == {"nops", "loop_dec_jnz"}
    assert {row["ring"] for row in rows(tmp_path)} == {"usr"}
    if not has_pmu(done.stdout):
        assert done.stdout.rstrip().splitlines()[-1].startswith(("NOT MEASURED ", "FAIL"))
    assert results.Results(folder).rows


def test_recover_renders_the_same(tmp_path):
    run("--plan", plan(tmp_path, "kernels=nops"), cwd=tmp_path)
    folder = tmp_path / "barecount-results/0001"
    before = {name: (folder / name).read_bytes() for name in (
        "results.csv", "summary.txt", "summary.html", "run.json")}
    for name in before:
        (folder / name).unlink()
    subprocess.run([TOP / "scripts/recover", folder], check=True, capture_output=True)
    assert before == {name: (folder / name).read_bytes() for name in before}


def test_check_plan(tmp_path):
    path = plan(tmp_path, "kernels=nops,no_such\nbogus=1")
    done = run("--check-plan", "--plan", path, cwd=tmp_path)
    assert done.returncode == PLAN_ERRORS
    said = " ".join(done.stdout.split())
    assert f"! {path}:6: there is no kernel or family 'no_such'" in said
    assert f"\n! {path}:7:\n" in done.stdout and f"{path}:7: unknown key 'bogus'" in said
    assert not (tmp_path / "barecount-results").exists()
    done = run("--check-plan", "--plan", plan(tmp_path, "kernels=nops"), cwd=tmp_path)
    assert done.returncode == PASS and done.stdout.endswith("The plan has no errors.\n")
    done = run("--check-plan", plan(tmp_path, "kernels=nops"), cwd=tmp_path)  # as in the image
    assert done.returncode == PASS and done.stdout.endswith("The plan has no errors.\n")
    done = run("--check-plan", "--plan", path, "more.cfg", cwd=tmp_path)
    assert done.returncode == USAGE and "unexpected 'more.cfg'" in done.stderr
    done = run("--check-plan", cwd=tmp_path)
    assert done.returncode == USAGE and "--plan FILE names one" in done.stdout


def test_plan_errors_stand_in_run_json(tmp_path):
    """The plan's errors decide the exit status, unless a row is `off` on a busy host."""
    path = plan(tmp_path, "kernels=nops\nbogus=1\n[state]\nturbo=off")
    assert run("--plan", path, cwd=tmp_path).returncode in (FAIL, PLAN_ERRORS)
    told = json.loads((tmp_path / "barecount-results/0001/run.json").read_text("utf-8"))
    assert any("plan.cfg:7: unknown key 'bogus'" in error for error in told["errors"])
    assert [remark for remark in told["remarks"] if "ignores the plan's turbo=" in remark]


def test_strict(tmp_path):
    path = plan(tmp_path, "kernels=nops\nstrict=yes\n[events a]\ncpu/event=1,what=2/")
    done = run("--plan", path, cwd=tmp_path)
    assert done.returncode == PLAN_ERRORS and not rows(tmp_path)
    assert done.stdout.endswith("NOT MEASURED strict=yes, 1 plan error\n")
    told = json.loads((tmp_path / "barecount-results/0001/run.json").read_text("utf-8"))
    assert told["plan"]["strict"] is True and told["plan"]["errors"] == 1
    assert told["complete"] is True and "what=2" in told["errors"][0]


def test_linux_chooses_the_counters(tmp_path):
    path = plan(tmp_path, "kernels=nops\ncounters=each\n[events one]\nr00c0")
    run("--plan", path, cwd=tmp_path)
    assert {row["event"] for row in rows(tmp_path)} & {"r00c0", "r00c0@0"} == {"r00c0"}
    told = json.loads((tmp_path / "barecount-results/0001/run.json").read_text("utf-8"))
    assert "barecount-linux ignores the plan's counters=" in told["remarks"]


def test_results_are_sent_nowhere(tmp_path):
    """A plan's keys for sending cause a remark, except with their default values."""
    for keys, expected in (("server=http://10.0.2.2/in/\nframes=always",
                            ["[results] server=", "[results] frames=always"]), ("frames=auto", [])):
        run("--plan", plan(tmp_path, f"kernels=nops\n[results]\n{keys}"), cwd=tmp_path)
        last = max((tmp_path / "barecount-results").glob("[0-9]*"))
        told = json.loads((last / "run.json").read_text("utf-8"))
        assert [remark for remark in told["remarks"] if "[results]" in remark] == [
            f"barecount-linux ignores the plan's {what}" for what in expected]


@pytest.mark.parametrize("name", WRONG)
def test_kernels_that_go_wrong(tmp_path, name):
    code, verdict, reason = WRONG[name]
    path = plan(tmp_path, f"kernels={name},nops\ntimeout_ms=2500\n[code {name}]\n{code}")
    run("--plan", path, cwd=tmp_path)
    told = [row for row in rows(tmp_path) if row["kernel"] == name]
    assert told and {row["verdict"] for row in told} == {verdict}
    for row in told:
        assert re.search(reason, row["reason"]), row["reason"]
    tsc, = [row for row in rows(tmp_path) if row["kernel"] == "nops" and row["event"] == "TSC"]
    assert int(tsc["runs"]) > 0


def test_one_cpu_of_several_goes_wrong(tmp_path):
    """On CPU 0, LSL reads the limit of segment 7BH as 0, so JRCXZ skips the UD2.

    In Linux, this limit is the CPU's number plus 4096 times its NUMA node.
    """
    if not {0, 1} <= os.sched_getaffinity(0):
        host_cannot("CPU 0 or 1 is missing")
    path = plan(tmp_path, f"mode=parallel\nkernels=second,nops\ntimeout_ms={NEVER_MS}\n"
                "[code second]\ncode=b9 7b 00 00 00 0f 03 c9 e3 02 0f 0b\nunroll=1")
    run("--plan", path, "--cpus", "0,1", cwd=tmp_path)
    of = {(row["cpu"], row["kernel"]): row for row in rows(tmp_path) if row["event"] == "TSC"}
    assert of["1", "second"]["verdict"] == "fault"
    for one in (("0", "second"), ("0", "nops"), ("1", "nops")):
        assert of[one]["verdict"] in ("measured", "noisy")  # noisy on a busy host
    told = json.loads((tmp_path / "barecount-results/0001/run.json").read_text("utf-8"))
    assert told["errors"] == []


def test_kernels_of_ones_own(tmp_path):
    raw = (TOP / "build/kernels.bin").read_bytes()
    size = int.from_bytes(raw[16:20], "little")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/again.bin").write_bytes(raw[:size])
    (tmp_path / "mine/damaged.bin").write_bytes(raw[:size - 1] + bytes([raw[size - 1] ^ 1]))
    (tmp_path / "mine/short.bin").write_bytes(raw[:10])
    done = run("--list-kernels", "nops", "--kernels", "mine", cwd=tmp_path)
    assert re.search(r"! mine/again.bin: a kernel '\w+' is built in already", done.stdout)
    assert "! mine/damaged.bin: damaged: the CRC does not match; build it again" in done.stdout
    assert "! mine/short.bin: truncated" in done.stdout
    done = run("--once", "damaged", "--kernels", "mine", cwd=tmp_path)
    assert done.returncode == ERROR
    assert "there is no kernel or family 'damaged'" in done.stderr
    assert "mine/damaged.bin: " in done.stderr


def test_pages_and_memory_types(tmp_path):
    free = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages")
    more = "[kernels]\nload memory=uc\nload size=1G page=1G\nload page=4K\n"
    run("--plan", plan(tmp_path, more), cwd=tmp_path)
    by_param = {row["param"]: row for row in rows(tmp_path) if row["event"] == "TSC"}
    assert by_param["memory=uc"]["reason"] == "Linux gives programs write-back memory only"
    assert int(by_param["page=4096"]["runs"]) > 0
    if not free.exists() or free.read_text().strip() == "0":
        assert "no free huge pages" in by_param["page=1073741824;size=1073741824"]["reason"]


def test_pages_of_pairs(tmp_path):
    """page=4K works for a buffer that two CPUs share; page=1G needs two free pages of 1 GiB."""
    if not {0, 1} <= os.sched_getaffinity(0):
        host_cannot("CPU 0 or 1 is missing")
    free = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages")
    more = "[kernels]\ncore_to_core size=1G page=1G\ncore_to_core page=4K\n"
    run("--plan", plan(tmp_path, more), "--cpus", "0,1", cwd=tmp_path)
    by_param = {row["param"]: row for row in rows(tmp_path) if row["event"] == "TSC"}
    assert int(by_param["page=4096"]["runs"]) > 0
    if not free.exists() or free.read_text().strip() in "01":
        assert "no free huge pages" in by_param["page=1073741824;size=1073741824"]["reason"]


def test_what_max_time_has_no_time_for_is_left_out(tmp_path):
    """All samples of `load` with n=10^9 together take more than a second."""
    text = plan(tmp_path, "max_time=1s\n[kernels]\nnops\nload n=1000000000\nstore n=7")
    done = run("--plan", text, "--check-plan", cwd=tmp_path)
    said = (r"max_time: 2 of 3 kernels are left out, because all would take an estimated .*, "
            r"not 1 s: load n=1000000000, store n=7")
    assert done.returncode == PASS and re.search(f"! {said}", " ".join(done.stdout.split()))
    done = run("--plan", text, cwd=tmp_path)
    assert "Left out  2 of 3 kernels because of max_time" in done.stdout
    assert {row["kernel"] for row in rows(tmp_path)} == {"nops"}
    found = results.Results(tmp_path / "barecount-results/0001")
    assert found.run["plan"]["max_time_s"] == 1 and found.missing == 0
    assert found.run["left_out"] == [{"name": "load", "param": "", "n": 1000000000},
                                     {"name": "store", "param": "", "n": 7}]
    assert [text for text in found.run["remarks"] if re.fullmatch(said, text)]


@pytest.mark.parametrize("given, bound", [("", "ten minutes"), ("max_time=1s\n", "max_time"),
                                          ("runs=100\n", ""), ("max_time=1s\nruns=100\n", "")])
def test_runs_that_the_plan_does_not_give_are_cut(tmp_path, given, bound):
    """The number of runs is reduced before kernels are left out, unless the plan sets runs=.

    The time limit is max_time=, or ten minutes without max_time=. A window of 10^9 loads is
    estimated at 8 x 10^9 instructions. 100 runs of the plan's eight kernels exceed both limits.
    """
    text = tmp_path / "plan.cfg"
    text.write_text(f"version=1\n[run]\ncpus={a_cpu()}\n{given}[kernels]\n"
                    "load n=1000000000 size=4K..512K*2\n", "utf-8")
    shown = " ".join(run("--plan", text, "--check-plan", cwd=tmp_path).stdout.split())
    said = f"100 runs would exceed {bound}; to get them, set runs=100 in the plan"
    assert (said in shown) if bound else ("would exceed" not in shown)
    runs = int(re.search(r"1 CPU, \d kernels?, (\d+) runs", shown).group(1))
    assert runs == 100 if not bound else 10 <= runs < 100
    assert ("max_time: 7 of 8 kernels are left out" in shown) == ("max_time" in given)


def test_cut_runs_are_in_run_json(tmp_path):
    """At 8 instructions per load, 100 windows of 10^7 loads are estimated at over a second."""
    text = tmp_path / "plan.cfg"
    text.write_text(f"version=1\n[run]\ncpus={a_cpu()}\nnoise_ms=0\nmax_time=1s\n"
                    "timeout_ms=60000\n[kernels]\nload n=10000000\n", "utf-8")
    run("--plan", text, cwd=tmp_path)
    plan_of = results.Results(tmp_path / "barecount-results/0001").run["plan"]
    assert 10 <= plan_of["runs"] < plan_of["runs_asked"] == 100


def test_once_runs_and_says_nothing(tmp_path):
    for words in (["nops"], ["loop_dec_jnz", "--n", "7"], ["loop_dec_jnz", "--n", "4K"],
                  ["chase_random"], ["chase_random", "size=64K", "n=1000"],
                  ["chase_random size=64K", "--n", "1000"]):
        done = run("--once", *words, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (PASS, "", "")
    assert list(tmp_path.iterdir()) == []


# Starts a program and prints the most memory that it used, in KiB. Linux reports at least the
# parent's memory for a child, so the parent is a new and small process.
MOST = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")


def test_once_has_the_size_that_was_asked_for():
    """The whole buffer is in memory from the start."""
    smaller, larger = 64 << 20, 128 << 20
    most = [int(subprocess.run([sys.executable, "-c", MOST, PROGRAM, "--once", "chase_random",
                                f"size={size}"], capture_output=True, text=True, check=True,
                               timeout=BOUND_S).stdout) << 10 for size in (smaller, larger)]
    assert most[1] - most[0] == pytest.approx(larger - smaller, rel=0.02)


def test_lists(tmp_path):
    done = run("--list-kernels", cwd=tmp_path)
    assert done.returncode == PASS
    raw = (TOP / "build/kernels.bin").read_bytes()
    assert f"{raw.count(b'BCKERNEL')} kernels in" in done.stdout
    assert re.search(r"\n  spin_tsc +n=1000000\s", done.stdout)
    done = run("--list-kernels", "chase_random", cwd=tmp_path)
    assert "\n1 kernel in 1 family with 'chase_random'" in done.stdout
    done = run("--list-kernels", "laod", cwd=tmp_path)
    assert done.returncode == FAIL
    assert "'laod' in the name of the kernel or its family; nearest: load\n" in done.stdout


def cpu_s(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime, stime


def test_ended_by_a_signal(tmp_path):
    """The signal goes to the whole process group, as timeout(1) sends it.

    The hanging kernel, whose RSP is 0, does not react to the signal.
    """
    path = plan(tmp_path, f"kernels=nops,hang,nops\ntimeout_ms={PATIENT_MS}\n"
                "[code hang]\ncode=31 e4 eb fe\nunroll=1")
    with subprocess.Popen([PROGRAM, "--plan", path], cwd=tmp_path, text=True,
                          start_new_session=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while max(map(cpu_s, children.read_text("ascii").split()), default=0) < SPINS_S:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.05)
        os.killpg(process.pid, signal.SIGTERM)
        said, _ = process.communicate(timeout=BOUND_S)
    assert process.returncode == INCOMPLETE, said
    run_schema.hold_below(tmp_path)
    told = json.loads((tmp_path / "barecount-results/0001/run.json").read_text("utf-8"))
    assert told["stopped_by_user"]
    assert {row["kernel"] for row in rows(tmp_path)} == {"nops", "hang"}
    assert {row["verdict"] for row in rows(tmp_path) if row["kernel"] == "hang"} == {"timeout"}
