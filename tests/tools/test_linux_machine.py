# SPDX-License-Identifier: BSD-2-Clause
"""Transfers into and out of the model machine's Linux, without booting it."""
import hashlib
import io
import subprocess
import tarfile

from machine import linux as linux_machine
from machine import qemu
import pytest


def test_an_archive_has_the_files_as_root(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/a.csv").write_text("a\n")
    made = linux_machine.archive({"/bin/program": program, "/events": tmp_path / "tables",
                                  "/plan.cfg": b"version=1\n"})
    listed = subprocess.run(["cpio", "-itnv", "--quiet"], input=made, capture_output=True,
                            check=True, timeout=20).stdout.decode().splitlines()
    found = {fields[-1]: fields[:5] for fields in map(str.split, listed)}
    assert {name: (fields[0], *fields[2:]) for name, fields in found.items()
            if not fields[0].startswith("d")} == {
        "bin/program": ("-rwxr-xr-x", "0", "0", "10"),
        "events/a.csv": ("-rw-r--r--", "0", "0", "2"),
        "plan.cfg": ("-rw-r--r--", "0", "0", "10")}
    assert {name for name, fields in found.items() if fields[0].startswith("d")} == {
        "bin", "events"}


def test_a_root_with_more_is_debians_and_the_archive(tmp_path):
    debian = tmp_path / "debian"
    debian.write_bytes(b"root")
    made = linux_machine.root_with({"/plan.cfg": b"version=1\n"}, tmp_path, debian)
    assert made.read_bytes()[:4] == b"root" and b"plan.cfg" in made.read_bytes()
    assert linux_machine.root_with({}, tmp_path, debian) == debian


def packed(**files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


class Told:
    """Answers each command with the size and SHA-256 of `content`."""

    def __init__(self, content):
        self.console = ""
        self._said = f"{len(content)}\n{hashlib.sha256(content).hexdigest()}  -\n"
        self._commands = 0

    def send(self, _):
        self._commands += 1
        self.console += f"{self._said}linux did {self._commands} status 0\n"

    def wait_for(self, pattern, _):
        return linux_machine.re.search(pattern, self.console, linux_machine.re.M)


@pytest.fixture
def fetching(tmp_path, monkeypatch):
    """fetch(content, arrived): Linux sent `content`, and `arrived` came over the port."""
    def fetch(content, arrived):
        port = tmp_path / "port"
        port.write_bytes(arrived)
        linux_machine.Linux(Told(content), port).fetch("/results", tmp_path / "target")
        return {str(path.relative_to(tmp_path / "target")): path.read_bytes()
                for path in (tmp_path / "target").rglob("*") if path.is_file()}
    monkeypatch.setattr(linux_machine, "ARRIVAL_S", 0.2)
    return fetch


def test_what_arrives_is_there(fetching):
    content = packed(**{"./0001/run.json": b"{}", "./index.csv": b"x"})
    assert fetching(content, content) == {"0001/run.json": b"{}", "index.csv": b"x"}


def test_what_does_not_arrive_whole_is_said(fetching, tmp_path):
    content = packed(**{"./run.json": b"{}"})
    with pytest.raises(qemu.HostError, match=rf"only {len(content) - 1} of {len(content)} "):
        fetching(content, content[:-1])
    with pytest.raises(qemu.HostError, match="its checksum differs"):
        fetching(content, bytes([content[0] ^ 1]) + content[1:])
    assert not (tmp_path / "target").exists()


def test_nothing_is_written_elsewhere(fetching, tmp_path):
    content = packed(**{"../outside": b"x"})
    with pytest.raises(qemu.HostError, match="another folder: ../outside"):
        fetching(content, content)
    assert not (tmp_path / "outside").exists()


def test_a_command_that_does_not_end_or_fails_is_named(tmp_path):
    class Silent(Told):
        def wait_for(self, pattern, _):
            return None

        def where(self):
            return "CPU 0: RIP=0"

        def errors(self):
            return "qemu's words"

    with pytest.raises(qemu.HostError, match="within 7 s this did not end: sleep 9\n"
                                             "(.|\n)*CPU 0: RIP=0\nqemu's words"):
        linux_machine.Linux(Silent(b""), tmp_path / "port").tell("sleep 9", 7)

    class Failing(Told):
        def send(self, _):
            self.console += "no such thing\nlinux did 1 status 3\n"

    with pytest.raises(linux_machine.Failed, match="status 3 of: thing\nno such thing") as why:
        linux_machine.Linux(Failing(b""), tmp_path / "port").run("thing")
    assert (why.value.status, why.value.said) == (3, "no such thing")
