# SPDX-License-Identifier: BSD-2-Clause
"""The commands, plans and queries in README, CONTRIBUTING and docs/ work as they are written."""
import re
import shutil
import subprocess

import documents
import folders
import pytest
import sendings
from conftest import TOP

DOCS = "docs"
PROGRAM = "build/barecount-linux"
MADE = (PROGRAM, "build/kernels.bin", "build/prove_kernels")
COMMAND_S = 120
UUID = "00112233-4455-6677-8899-aabbccddeeff"
FLAT = {"load": 6000, "empty": 0}  # instructions, as tests/tools/folders.py makes them
START = 150_000  # instructions that perf stat counts while a program starts

# Commands that are tested elsewhere -> the file of the test, and words in that file. An entry that
# ends with a blank stands for all commands that begin with this text.
ELSEWHERE = {
    "make run CPUS=4": ("tests/image/test_console.py", "def test_the_sample_in_readme("),
    "make run PLAN=check CPUS=4": ("tests/image/test_check.py", "def test_the_sample_in_the_page("),
    "make run CPUS=2 FRESH=1 KERNEL=probe.bin": (
        "tests/image/test_own_kernel.py", "def test_as_the_page_has_it("),
    "make usb DEV=/dev/sdX": (
        "tests/tools/test_write_usb.py", "def test_written_whole_and_nothing_else("),
    "make netboot": ("tests/tools/test_make_netboot.py", "def test_a_whole_folder("),
    "make sign KEY=key.pem CERT=cert.pem PLAN=scripts/plans/default.cfg": (
        "tests/tools/test_sign.py", "def test_a_key_and_its_certificate("),
    "make image": ("tests/image/test_files.py", "def test_two_builds_are_identical("),
    "make linux events": ("tests/tools/test_other_cpu.py", '["make", "-s", "linux", "events"]'),
    "make linux": ("tests/tools/test_linux_runner.py", '["make", "-s", "linux"]'),
    "make demo": ("tests/machine/test_demo.py", "def test_the_sample_in_docs("),
    "make versus": ("tests/machine/test_versus.py",
                    "def test_each_piece_has_its_declared_instructions("),
    "perf stat ": ("tests/machine/test_demo.py", "def test_perf_stat_around_a_chase("),
    "scripts/new-kernel ": ("tests/image/test_own_kernel.py", "def test_as_the_page_has_it("),
    "scripts/build-kernel --declare ": (
        "tests/image/test_own_kernel.py", "def test_as_the_page_has_it("),
    "scripts/write-usb ": ("tests/tools/test_write_usb.py", "\"--image\""),
    "scripts/make-netboot build/signed/BOOTX64.EFI ": (
        "tests/tools/test_make_netboot.py", "def test_a_whole_folder("),
    "scripts/build-kernel probe.asm": (
        "tests/image/test_own_kernel.py", "def test_as_the_page_has_it("),
    "scripts/build-kernel probe_c.c": (
        "tests/image/test_own_kernel.py", "def test_as_the_page_has_it("),
    "build/prove_kernels build/kernels.bin": (
        "tests/all_levels.py", '"build/prove_kernels", "--whole"'),
}
CANNOT = {
    "screen ": "a serial line",
    "ipmitool ": "a BMC",
    "git clone ": "the network",
    f"{PROGRAM} --plan ": "counters of the host's CPU",
}
CPU = "--for skylakex"  # there may be no event table for the host's CPU
OF_THE_HOST = f"{PROGRAM} --list-events "
# A language -> the file that gets a page's blocks in this language before the commands run.
WRITTEN = {"nasm": "probe.asm"}


def pages():
    return [page for page in documents.ALL
            if page.parent == TOP or page.is_relative_to(TOP / DOCS)]


def commands(page):
    text = "".join(block.text for block in documents.blocks(page, "sh"))
    return re.sub(r"\\\n *", "", text).splitlines()


def known(command, table):
    return next((words for words in table if command == words or
                 words.endswith(" ") and command.startswith(words)), None)


def to_run(page):
    return [command for command in commands(page)
            if not known(command, ELSEWHERE) and not known(command, CANNOT)]


def as_linux(run):
    run["source"] = "linux"


def put_results(place):
    bare = folders.make(place / "barecount/results/0001", samples=True)
    folders.make(place / "barecount-results/0001", change_run=as_linux,
                 change=lambda row: row.update(ring="usr"))
    for name in ("results/2026-11-22-100000", "host-a/0001", "host-b/0001",
                 "media/stick/barecount/results/0001"):
        shutil.copytree(bare, place / name)
    (place / "results/latest").symlink_to("2026-11-22-100000")
    for kernel, count in FLAT.items():
        (place / f"{kernel}.csv").write_text(f"{START + count},,instructions:u,100,100.00,,\n")
    (place / "FOLDER").mkdir()
    for file in bare.iterdir():
        shutil.copy(file, place / f"FOLDER/{UUID}-0001-{file.name}")
    lines = sendings.sending_of({file.name: file.read_bytes() for file in bare.iterdir()}, 1,
                                "0123456789abcdef")
    (place / "run.log").write_bytes(b"".join(text + b"\r\n" for *_, text in lines))


@pytest.fixture(scope="module", autouse=True)
def built():
    subprocess.run(["make", "-s", "linux", "events", "build/prove_kernels"], cwd=TOP, check=True)


@pytest.fixture
def place(tmp_path):
    for name in ("scripts", "kernels"):
        (tmp_path / name).symlink_to(TOP / name)
    (tmp_path / "build").mkdir()
    for name in MADE:
        (tmp_path / name).symlink_to(TOP / name)
    (tmp_path / "perfmon").symlink_to(TOP / "tests/events/fixtures/perfmon")
    put_results(tmp_path)
    return tmp_path


def run(command, place):
    command = command.replace(" /media/", " media/")
    command += f" {CPU}" if command.startswith(OF_THE_HOST) else ""
    done = subprocess.run(["bash", "-c", command], cwd=place, capture_output=True,
                          text=True, timeout=COMMAND_S, check=False, stdin=subprocess.DEVNULL)
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "Traceback" not in said, f"$ {command}\n{said}"
    return said


@pytest.mark.parametrize("page", [page for page in pages() if to_run(page)],
                         ids=lambda page: page.stem)
def test_commands_run(place, page):
    """The commands run in the page's order and in one folder."""
    for language, file in WRITTEN.items():
        for block in documents.blocks(page, language):
            (place / file).write_text(block.text, "ascii")
    for command in to_run(page):
        print(run(command, place))


def test_what_runs_elsewhere_does():
    written = [command for page in pages() for command in commands(page)]
    for file, words in ELSEWHERE.values():
        assert words in (TOP / file).read_text("utf-8"), f"{file}: {words}"
    used = {known(command, table) for command in written for table in (ELSEWHERE, CANNOT)}
    assert used - {None} == {*ELSEWHERE, *CANNOT}


PLANS = [block for page in pages() for block in documents.blocks(page, "ini")]


@pytest.mark.parametrize("block", PLANS, ids=lambda block: f"{block.page.stem}:{block.line}")
def test_plans_are_right(tmp_path, block):
    """A block that contains only a section lacks version=1, so the test adds it."""
    head = "" if block.text.startswith("version=") else "version=1\n"
    (tmp_path / "plan.cfg").write_text(head + block.text, "utf-8")
    done = subprocess.run([TOP / PROGRAM, "--check-plan", "--plan", "plan.cfg", *CPU.split()],
                          cwd=tmp_path, capture_output=True, text=True,
                          timeout=COMMAND_S, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert done.stdout.endswith("The plan has no errors.\n")


def test_queries_run(place):
    chase = folders.Kernel("chase_random", {"instructions": (0, 2), "cycles": (15, 152)},
                           1 << 20, "chase", "size=67108864", 64 << 20)
    folders.make(place / "chased/0001", kernels=(chase,),
                 change=lambda row: row.update(ns=str(76 * chase.n)))
    run("scripts/query fleet.sqlite import chased", place)
    queries = [block.text for page in pages() for block in documents.blocks(page, "sql")]
    assert queries
    for query in queries:
        said = run(f'scripts/query fleet.sqlite "{query}" --csv', place)
        assert re.fullmatch(r"machine,ns_per_load\n.+,76(\.0)?\n", said), said
