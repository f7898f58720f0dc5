# SPDX-License-Identifier: BSD-2-Clause
"""scripts/collect turns a server's files into folders like a stick's, and overwrites nothing."""
import pathlib
import subprocess

COLLECT = pathlib.Path(__file__).resolve().parents[2] / "scripts/collect"
UUID, OTHER = "5ba2ecf7-7e94-4a0c-9d0f-3b1d0c1de001", "no-uuid-525400123456"
FILES = ("results.csv", "summary.txt", "summary.html", "check.txt", "machine.txt", "samples.csv",
         "journal.bin", "run.json")


def send(folder, machine, number, files=FILES):
    for file in files:
        (folder / f"{machine}-{number}-{file}").write_bytes(f"{machine} {number} {file}".encode())


def collect(*arguments):
    done = subprocess.run([COLLECT, *arguments], capture_output=True, text=True, check=False,
                          timeout=60)
    return done.returncode, done.stdout + done.stderr


def assert_run(folder, machine, number, files=FILES):
    assert {path.name: path.read_text() for path in (folder / machine / number).iterdir()} == {
        file: f"{machine} {number} {file}" for file in files}


def test_complete_runs_of_two_machines(tmp_path):
    send(tmp_path, UUID, "0001")
    send(tmp_path, UUID, "0012", ("results.csv", "journal.bin", "run.json"))  # no room for samples
    send(tmp_path, OTHER, "0001")
    (tmp_path / f"{UUID}-0002-notes.txt").write_text("somebody's")
    for _ in range(2):  # the second time the folders exist with the same content
        assert collect(tmp_path)[0] == 0
        assert_run(tmp_path, UUID, "0001")
        assert_run(tmp_path, UUID, "0012", ("results.csv", "journal.bin", "run.json"))
        assert_run(tmp_path, OTHER, "0001")
        assert sorted(path.name for path in (tmp_path / UUID).iterdir()) == ["0001", "0012"]


def test_a_run_that_is_not_complete(tmp_path):
    send(tmp_path, UUID, "0001", FILES[:3])
    send(tmp_path, UUID, "0002")
    status, said = collect(tmp_path, "-o", tmp_path / "out")
    assert status == 1
    assert f"{UUID}-0001: not complete: there is no run.json" in said
    assert_run(tmp_path / "out", UUID, "0002")
    assert not (tmp_path / "out" / UUID / "0001").exists()


def test_a_folder_that_is_there_is_kept(tmp_path):
    send(tmp_path, UUID, "0001")
    assert collect(tmp_path)[0] == 0
    (tmp_path / UUID / "0001/run.json").write_text("mine")
    status, said = collect(tmp_path)
    assert status == 1 and "exists, and has other files" in said
    assert (tmp_path / UUID / "0001/run.json").read_text() == "mine"


def test_nothing_there(tmp_path):
    assert collect(tmp_path)[0] == 3
    assert collect(tmp_path / "nowhere")[0] == 4
