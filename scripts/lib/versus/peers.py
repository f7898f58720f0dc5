# SPDX-License-Identifier: BSD-2-Clause
"""Run the tools of scripts/versus.

bare_metal(), barecount_linux(), perf(), likwid_bench() and nanobench() return a table.Measured.
NotBuilt is raised if a tool cannot be built, and machine.linux.Failed if a tool fails in Linux.
"""
import collections
import re
import shutil
import subprocess
import time

from events import codes
from foreign import likwid as likwid_output
from foreign import nanobench as nanobench_output
from foreign import perf as perf_output
from machine import image as image_machine
from machine import linux as linux_machine
from machine import qemu
import plural
import results
from versus import table
from versus import work

PEERS = qemu.TOP / "build/peers"  # tests/machine/linux_peers.sh
BUILD_S, RUN_S, PIECE_S, GIT_S = 600, 600, 600, 20
HERE = "/versus"
NEXT = "next repetition"

EVENTS = {**work.EVENTS, "instructions": work.INSTRUCTIONS, "branches": work.BRANCHES}
PERF = "perf stat -x, -e instructions:u,branches:u"
# Without -f, likwid refuses counters that still have perf's selects.
LIKWID = "likwid-perfctr -f -M 0 -O -C 0 -g RETIRED_INSTRUCTIONS:PMC0"
BENCH = "likwid-bench -t sum -w N:8kB:1 -i 10"
NANOBENCH_CONFIG = b"0C0.00 RETIRED_INSTRUCTIONS\n0C2.00 RETIRED_BRANCH_INSTRUCTIONS\n"


class NotBuilt(Exception):
    """A tool cannot be built."""


def counts_of(reader, name, text, events=frozenset(work.EVENTS.values())):
    found = {}
    for value in reader.parse(name, text, codes.AMD).values:
        if value.event in EVENTS:
            if value.trouble:
                raise results.Unreadable(f"{name}: {value.event}: {value.trouble}")
            found[EVENTS[value.event]] = value.value
    if found.keys() != events:
        raise results.Unreadable(f"{name}: has no count of each event; it says: "
                                 f"{(text.strip().splitlines() or ['nothing'])[-1]}")
    return found


def repeated(linux, command, repetitions):
    start = time.monotonic()
    said = linux.run(f"(for i in $(seq {repetitions}); do echo '{NEXT}'; {command} || exit; done)",
                     PIECE_S)
    return said.split(f"{NEXT}\n")[1:], (time.monotonic() - start) / repetitions


def _by_event(counts):
    return {event: [one[event] for one in counts] for event in work.EVENTS.values()}


def of_rows(found):
    """{piece: {event: [smallest, largest clean sample]}}, and the number of rejected samples."""
    counts, rejected = collections.defaultdict(dict), 0
    for row in found.rows:
        if row["event"] in work.EVENTS:
            if not row["min"]:
                raise results.Unreadable(f"{row['kernel']}: {row['verdict']}: {row['reason']}")
            counts[work.size_of(row)][work.EVENTS[row["event"]]] = \
                [int(row["min"]), int(row["max"])]
            rejected += int(row["rejected"])
    if {size: set(events) for size, events in counts.items()} != \
            {size: set(work.EVENTS.values()) for size in work.SIZES}:
        raise results.Unreadable(f"{found.folder}: pieces or events are missing")
    return dict(counts), rejected


def _of_barecount(tool, found, seconds, note):
    counts, rejected = of_rows(found)
    return table.Measured(tool, found.run["version"], counts, seconds,
                          f"{note}; barecount subtracts the cost of its window, and rejected "
                          f"{plural.counted(rejected, 'sample')}")


def bare_metal(folder, repetitions, spec):
    plan = work.PLAN.format(repetitions=repetitions)
    left = image_machine.boot(folder, "bare-metal", plan, **spec)
    seconds = (left.verdict_s - left.first_line_s) / (len(work.SIZES) * repetitions)
    return _of_barecount("barecount, bare metal", left.results, seconds,
                         "the image's kernels nop_1 and loop_dec_jnz")


def barecount_linux(linux, folder, repetitions):
    linux.put("/plan.cfg", work.PLAN.format(repetitions=repetitions).encode())
    start = time.monotonic()
    command = "barecount-linux --plan /plan.cfg --events /events --out /results"
    status, said = linux.tell(command, RUN_S)
    if status not in (results.PASSED, results.FAILED):  # a wrong count is not a failure here
        raise linux_machine.Failed(command, status, said)
    seconds = (time.monotonic() - start) / (len(work.SIZES) * repetitions)
    linux.fetch("/results", folder / "linux")
    return _of_barecount("barecount-linux", results.Results(folder / "linux/0001"), seconds,
                         "the same plan in user mode")


def perf(linux, repetitions):
    """Subtract the empty program's counts, and add its seconds, because it must also be run."""
    version = linux.run("perf --version").split()[-1]
    counts, seconds = {}, {}
    for size in (work.EMPTY, *work.SIZES):
        outputs, seconds[size] = repeated(linux, f"{PERF} {HERE}/piece_{size}", repetitions)
        counts[size] = _by_event([counts_of(perf_output, "perf", text) for text in outputs])
    empty, empty_s = counts.pop(work.EMPTY), seconds.pop(work.EMPTY)
    of_pieces = {size: {event: [one - none for one, none in zip(found, empty[event])]
                        for event, found in events.items()} for size, events in counts.items()}
    return table.Measured("perf stat", version, of_pieces,
                          empty_s + sum(seconds.values()) / len(seconds),
                          "user mode; a program with the piece, minus the same program without it")


def likwid_bench(linux, repetitions):
    """likwid-bench declares the instructions of its own loop, and likwid counts the loop."""
    linux.run("test -e /dev/cpu/0/msr || insmod /lib/msr.ko")
    version = linux.run("likwid-perfctr -v").partition("Version ")[2].split(maxsplit=1)[0]
    outputs, seconds = repeated(linux, f"{LIKWID} -m {BENCH}", repetitions)
    told = {int(one) for text in outputs
            for one in re.findall(r"^Instructions:\s+(\d+)$", text, re.M)}
    if len(told) != 1:
        raise results.Unreadable(f"likwid-bench: declares {sorted(told) or 'no'} instructions")
    size, = told
    counts = [counts_of(likwid_output, "likwid-bench", text, {work.INSTRUCTIONS})
              for text in outputs]
    return table.Measured("likwid-bench", version,
                          {size: {work.INSTRUCTIONS: [one[work.INSTRUCTIONS] for one in counts]}},
                          seconds,
                          f"user mode; its own loop `sum`, for which it declares {size:,} "
                          "instructions; nothing is subtracted",
                          lambda of: {work.INSTRUCTIONS: of})


def build_nanobench(checkout, folder):
    if not checkout:
        raise NotBuilt("not built: no checkout is given (NANOBENCH=)")
    if not (checkout / "kernel/Makefile").is_file() or not (checkout / "common").is_dir():
        raise NotBuilt(f"not built: {checkout} is no checkout of nanoBench")
    for name in ("kernel", "common"):
        shutil.copytree(checkout / name, folder / name)
    headers = (PEERS / "headers/build").resolve()
    try:
        done = subprocess.run(["make", "-C", headers, f"M={folder}/kernel",
                               f"BUILD_DIR={headers}", "modules"], capture_output=True, text=True,
                              check=False, timeout=BUILD_S)
    except subprocess.TimeoutExpired:
        raise NotBuilt(f"not built: make did not end within {BUILD_S} s") from None
    module = folder / "kernel/nb.ko"
    if done.returncode != 0 or not module.is_file():
        said = [line for line in (done.stderr + done.stdout).splitlines()
                if "error" in line.lower()]
        raise NotBuilt(f"not built: {said[0] if said else 'its Makefile made no module'}")
    return module


def _commit(checkout):
    done = subprocess.run(["git", "-C", checkout, "log", "-1", "--format=%h"], capture_output=True,
                          text=True, check=False, timeout=GIT_S)
    return done.stdout.strip() or "of an unknown commit"


def nanobench(linux, checkout, repetitions):
    linux.run(f"insmod {HERE}/nb.ko && cat /sys/nb/reset")
    linux.put(f"{HERE}/config", NANOBENCH_CONFIG)
    linux.run(f"echo -n {HERE}/config >/sys/nb/config; "
              "echo 1 >/sys/nb/unroll_count; echo 1 >/sys/nb/basic_mode")
    counts, seconds = {}, []
    for size in work.SIZES:
        for name, content in zip(("code", "late_init"), work.raw(size)):
            linux.put(f"{HERE}/{name}", content)
            linux.run(f"echo -n {HERE}/{name} >/sys/nb/{name}")
        outputs, one_s = repeated(linux, "cat /proc/nanoBench", repetitions)
        seconds.append(one_s)
        counts[size] = _by_event([counts_of(nanobench_output, "nanoBench", text)
                                  for text in outputs])
    linux.run("rmmod nb")
    return table.Measured(
        "nanoBench, kernel module", _commit(checkout), counts, sum(seconds) / len(seconds),
        "ring 0; -basic_mode -unroll_count 1: nanoBench subtracts a run without "
        "the piece; each count is the average of 10 runs")
