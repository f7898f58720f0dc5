# SPDX-License-Identifier: BSD-2-Clause
"""The exit statuses that scripts/run gives to folders, and its messages."""
import contextlib
import io
import subprocess
import sys
from unittest import mock

import pytest
import results
from conftest import TOP
from plural import counted
from report import demo
import folders
import script
import sendings

RUN = script.load("run")
ERRORS = 18  # in a plan


def call(*words):
    return subprocess.run(words, cwd=TOP, capture_output=True, text=True, timeout=120, check=False,
                          stdin=subprocess.DEVNULL)


def as_off(row):
    row["verdict"] = "off"


def as_spoilt(row):
    if row["event"] == "TSC":
        row |= {"verdict": "noisy", "noisy_by": "power limit", "runs": "0"}


def as_spoilt_alone(row):
    as_spoilt(row)
    if row["event"] != "TSC":
        row |= {"verdict": "noisy", "noisy_by": "heat", "runs": "0"}


def as_noisy(row):
    if row["event"] == "TSC":
        row |= {"verdict": "noisy", "runs": "0"}


def as_nothing(row):
    if row["event"] != "TSC":
        row |= {"verdict": "unavailable", "expected": ""}


def verdict(line):
    return lambda run: run["verdict"].update(line=line)


# For each case: the change to every row, the change to run.json, and the exit statuses without and
# with errors in the plan.
FOUND = {
    "as declared": (None, None, results.PASSED, results.PLAN_ERRORS),
    "time spoilt": (as_spoilt, None, results.PASSED, results.PLAN_ERRORS),
    "all spoilt": (as_spoilt_alone, None, results.PASSED, results.PLAN_ERRORS),
    "time noisy": (as_noisy, None, results.FAILED, results.FAILED),
    "off": (as_off, None, results.FAILED, results.FAILED),
    "nothing to measure with": (as_nothing, verdict("NOT MEASURED no PMU"), results.PASSED,
                                results.PLAN_ERRORS),
    "cut off": (None, lambda run: run.update(complete=False), *[results.INCOMPLETE] * 2),
    "a CPU without rows": (None, lambda run: run["plan"].update(cpus=2), *[results.INCOMPLETE] * 2),
    "off and cut off": (as_off, lambda run: run.update(complete=False), *[results.INCOMPLETE] * 2),
    "nothing, say the rows": (as_nothing, None, *[results.FAILED] * 2),
    "nothing, says the verdict": (None, verdict("NOT MEASURED no PMU"), *[results.FAILED] * 2),
}


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("errors", (0, 1, ERRORS))
def test_the_first_that_holds(tmp_path, capsys, name, errors):
    """The first of these that is found decides the status: incomplete run, failed rows, plan
    errors."""
    change, change_run, without, with_some = FOUND[name]

    def put(run):
        if change_run:
            change_run(run)
        if errors:
            folders.add_plan_errors(run, errors)

    folder = folders.make(tmp_path / "0001", change=change, change_run=put)
    found = results.Results(folder)
    assert RUN.report([folder], "anywhere")[0] == (with_some if errors else without)
    assert f"\nVerdict: {found.verdict_line}\n" in capsys.readouterr().out
    ends = {0: "", 1: ", 1 plan error", ERRORS: f", {ERRORS} plan errors"}
    told = found.run["verdict"]["noisy_of_time"]
    noisy = f", {counted(told, 'row')} of time noisy ({found.noisy_by})" if told else ""
    assert found.verdict_line == found.verdict + noisy + ends[errors]
    assert "plan" not in found.verdict and "noisy" not in found.verdict
    assert (told > 0) == ("spoilt" in name)


def test_a_plan_that_was_refused(tmp_path, capsys):
    folder = folders.make_refused(tmp_path / "0001", 3, cpus=2)
    found = results.Results(folder)
    assert found.is_refused and found.missing == 0 and not found.rows
    assert RUN.report([folder], "anywhere") == (
        results.PLAN_ERRORS, "errors in the plan: lines 1, 2, 3")
    said = capsys.readouterr().out
    assert "\nRows:    none\n" in said and "incomplete" not in said
    assert "\nVerdict: NOT MEASURED strict=yes, 3 plan errors\n" in said
    for key, value in (("strict", False), ("errors", 0)):
        found = results.Results(folder)
        found.run["plan"][key] = value
        assert (found.status, found.missing) == (results.INCOMPLETE, 2 * len(folders.KERNELS))


def test_a_plan_that_lists_a_kernel_twice(tmp_path):
    kernels = (*folders.KERNELS, folders.KERNELS[-1])
    found = results.Results(folders.make(tmp_path / "0001", kernels=kernels, cpus=2))
    assert (found.status, found.missing) == (results.PASSED, 0)


@pytest.mark.parametrize("lose", [lambda run: run.pop("plan"), lambda run: run.pop("kernels"),
                                  lambda run: run["plan"].pop("cpus")])
def test_a_run_cut_off_before_its_plan_was_told(tmp_path, capsys, lose):
    def cut(run):
        run["complete"] = False
        lose(run)

    folder = folders.make(tmp_path / "0001", change_run=cut)
    assert results.Results(folder).missing == 0
    assert RUN.report([folder], "anywhere") == (results.INCOMPLETE,
                                                results.MEANS[results.INCOMPLETE])
    assert "have no rows" not in capsys.readouterr().out


@pytest.mark.parametrize("change, status", [(None, results.PASSED), (as_off, results.FAILED)])
def test_folders_of_older_versions(tmp_path, change, status):
    def forget(run):
        del run["plan"]["strict"], run["plan"]["errors"]

    found = results.Results(folders.make(tmp_path / "0001", change=change, change_run=forget))
    assert (found.status, found.plan_errors, found.is_refused) == (status, 0, False)
    assert found.verdict == found.verdict_line


def test_another_number_than_the_verdict_s_contradicts_it(tmp_path):
    def put(run):
        folders.add_plan_errors(run, 2)
        run["plan"]["errors"] = 3

    assert results.Results(folders.make(tmp_path / "1", change_run=put)).status == results.FAILED


def test_of_a_demonstration(tmp_path):
    """An incomplete run or bare-metal rows that are `off` take precedence over plan errors."""
    def with_errors(run):
        folders.add_plan_errors(run, 2)

    def cut_off(run):
        run["complete"] = False

    right, wrong, errors, cut = (results.Results(folders.make(tmp_path / str(number), **how))
                                 for number, how in enumerate((
                                     {}, {"change": as_off}, {"change_run": with_errors},
                                     {"change_run": cut_off})))
    refused = results.Results(folders.make_refused(tmp_path / "refused", 2))
    for bare, linux, status in (
            (right, right, results.PASSED), (right, wrong, results.PASSED),
            (wrong, errors, results.FAILED), (errors, right, results.PLAN_ERRORS),
            (right, errors, results.PLAN_ERRORS), (refused, refused, results.PLAN_ERRORS),
            (cut, errors, results.INCOMPLETE), (errors, cut, results.INCOMPLETE)):
        assert demo.status(bare, linux) == status


@pytest.mark.parametrize("status", sorted(results.MEANS))
def test_run_says_its_status(monkeypatch, capsys, status):
    def leave():
        raise SystemExit(status)

    for main in (lambda: (status, results.MEANS[status]), leave):
        monkeypatch.setattr(RUN, "main", main)
        assert RUN.ended() == status
        assert capsys.readouterr().out == f"run: exit status {status}: {results.MEANS[status]}\n"
    monkeypatch.setattr(RUN, "main", lambda: (results.PASSED, ""))
    assert RUN.ended() == results.PASSED and capsys.readouterr().out == ""


@pytest.mark.parametrize("errors, told", [
    (["\\barecount\\plan.cfg:9: unknown key", "plan.cfg:4: expected a number"], ": lines 4, 9"),
    (["/tmp/plan.cfg:12: unknown key", "plan.cfg:12: once more"], ": line 12"),
    ([f"plan.cfg:{line}: bogus" for line in (31, 7, 4, 100, 99)], ": lines 4, 7 and 3 more"),
    (["events/mine.csv:3: no event", "\\barecount\\plan.cfg: cannot be read", "my-plan.cfg:4: x"],
     "")])
def test_lines_of_the_plan_are_named(tmp_path, errors, told):
    def put(run):
        folders.add_plan_errors(run, len(errors))
        run["errors"] = errors

    found = results.Results(folders.make(tmp_path / "0001", change_run=put))
    assert (found.status, found.means) == (results.PLAN_ERRORS, "errors in the plan" + told)
    found = results.Results(folders.make(tmp_path / "2", change=as_off, change_run=put))
    assert found.means == results.MEANS[results.FAILED]


class AtTheMenu:
    raw, console = b"PASS\n\nR run again  P choose a plan  F frames  S shut down ", "PASS"

    def __init__(self):
        self.typed = []

    def wait_end(self, _):
        return bool(self.typed)

    def wait_for(self, *_):
        return False

    def send(self, keys):
        self.typed.append(keys)

    def errors(self):
        return ""

    spec = mock.Mock(firmware="ovmf")


@pytest.mark.parametrize("words, typed", [((), [b"s"]), (("--keys", "R run again=f"), [])])
def test_the_menu_is_left_unless_keys_are_given(monkeypatch, words, typed):
    monkeypatch.setattr(sys, "argv", ["run", "--plan", "none", "--timeout", "0", *words])
    running = AtTheMenu()
    RUN.follow(RUN.arguments(), running)
    assert running.typed == typed


@pytest.mark.parametrize("at_once", (1, 7, 1 << 20))
@pytest.mark.parametrize("is_terminal", (True, False))
def test_lines_that_carry_files_are_not_shown(monkeypatch, at_once, is_terminal):
    """Framed lines are hidden even if output comes in pieces; text that resembles them is shown."""
    files = {"run.json": b"{}" * 100, "results.csv": b"a" * 100}
    words = b"Frames    2 files\n", b"user@BC: @B and @\nPASS\n"
    frames = b"".join(text + b"\r\n" for *_, text in sendings.sending_of(files, 1, "01" * 8))
    assert frames.count(b"@BC2:") > 6
    out = io.TextIOWrapper(io.BytesIO(), "ascii", write_through=True)
    out.isatty = lambda: is_terminal
    monkeypatch.setattr(sys, "stdout", out)
    show, raw = RUN.qemu.Show(), frames.join(words)
    for at in range(0, len(raw), at_once):
        show(raw[at:at + at_once])
    assert out.buffer.getvalue() == b"".join(words)


def test_a_stick_in_use_names_the_way_to_another(tmp_path):
    with RUN.only_user_of(tmp_path / "stick.img"):
        with pytest.raises(RUN.qemu.HostError, match='RUN_FLAGS="--stick FILE"'):
            with RUN.only_user_of(tmp_path / "stick.img"):
                pass


def test_make_run_says_what_it_cannot_pass_on(tmp_path):
    flags = f"RUN_FLAGS=--stick {tmp_path}/none/stick.img"
    done = call("make", "-s", "-f", "Makefile", "-o", "image", "-o", "build/machine/built", "run",
                flags)
    assert done.returncode == 2
    assert done.stdout.endswith("run: exit status 4: an error of this host\n"), done.stdout


@pytest.mark.parametrize("machine, cpu, firmware, channels", [
    ("model", "Skylake-Server", "ovmf", 3), ("model", "Cooperlake", "ovmf", 3),
    ("model", "Haswell", "ovmf", 0), ("stock", "Skylake-Server", "ovmf", 0),
    ("model", "Skylake-Server", "u-boot", 0)])
def test_servers_of_the_model_have_memory_channels(monkeypatch, machine, cpu, firmware, channels):
    monkeypatch.setattr(sys, "argv", ["run", "--machine", machine, "--cpu", cpu,
                                      "--firmware", firmware])
    monkeypatch.setattr(RUN.qemu, "Machine", mock.Mock(side_effect=RUN.qemu.HostError))
    with pytest.raises(RUN.qemu.HostError):
        RUN.boot(options := RUN.arguments(), RUN.choose_cpus(options), None, more=("-nic",),
                 variables="vars")
    spec = RUN.qemu.Machine.call_args[0][0]
    assert sum("pmu-imc" in word for word in spec.more) == channels
    assert spec.more[-1] == "-nic" and spec.variables == "vars"


def test_a_boot_that_is_stopped_leaves_its_results(monkeypatch, capsys):
    stick = mock.Mock()
    monkeypatch.setattr(RUN, "prepare", lambda options: stick)
    monkeypatch.setattr(RUN, "files_of_runs", lambda stick: {})
    monkeypatch.setattr(RUN, "only_user_of", lambda stick: contextlib.nullcontext())
    monkeypatch.setattr(sys, "argv", ["run", "--machine", "kvm"])
    for end in (KeyboardInterrupt, SystemExit(results.HOST_ERROR), RUN.qemu.HostError("gone")):
        monkeypatch.setattr(RUN, "boot", mock.Mock(side_effect=end))
        monkeypatch.setattr(RUN, "collect", mock.Mock(return_value=[]))
        with contextlib.suppress(SystemExit):
            assert RUN.main()[0] == results.HOST_ERROR
        RUN.collect.assert_called_once()


def test_results_that_no_server_got_come_by_the_serial_line(tmp_path, monkeypatch, capsys):
    source, came = folders.make(tmp_path / "0001"), tmp_path / "stick.net/in"
    files = {name: (source / name).read_bytes() for name in ("results.csv", "run.json")}

    def boot(options, _chosen, disk, **more):
        assert disk is None and more == {"more": ("-nic",)}
        (came / "no-uuid-1-0001-results.csv").write_bytes(files["results.csv"])
        options.log.write_bytes(b"\n".join(
            text for *_, text in sendings.sending_of(files, 1, "0123456789abcdef")))

    @contextlib.contextmanager
    def offered(folder, *_):
        assert folder / "in" == came
        came.mkdir(parents=True)
        yield {"more": ("-nic",)}

    (tmp_path / "plan.cfg").write_text("version=1\n", "ascii")
    monkeypatch.setattr(RUN.network, "offered", offered)
    monkeypatch.setattr(RUN, "boot", boot)
    monkeypatch.setattr(sys, "argv", [
        "run", "--machine", "stock", "--media", "net", "--plan", f"{tmp_path}/plan.cfg",
        "--stick", f"{tmp_path}/stick.img", "--results", f"{tmp_path}/results",
        "--log", f"{tmp_path}/log"])
    assert RUN.main()[0] == results.PASSED
    said, landed = capsys.readouterr().out, tmp_path / "results/20261122-100000"
    assert "no-uuid-1-0001: not complete: there is no run.json\n" in said
    assert f"\nResults: {landed}/\n" in said
    assert {path.name: path.read_bytes() for path in landed.iterdir()} == files
