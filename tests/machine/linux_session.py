# SPDX-License-Identifier: BSD-2-Clause
"""Run plans with barecount-linux in a Linux on the model machine."""
import contextlib
import re

import expect
from machine import linux as linux_machine
import own_kernels
import results
import run_schema
from machine.qemu import TOP

CRASH, HANG = "ud2; ret", ".on:; jmp .on"
USER = 1000
FILES = {
    "/bin/barecount-linux": TOP / "build/barecount-linux",
    "/events": TOP / "build/events",
    "/etc/passwd": f"root:x:0:0::/:/bin/sh\nuser:x:{USER}:{USER}::/:/bin/sh\n".encode("ascii"),
    "/kernels/probe.bin": own_kernels.loop(),
    "/kernels/crash.bin": own_kernels.assembled("crash", CRASH),
    "/kernels/hang.bin": own_kernels.assembled("hang", HANG),
}


class Session:
    def __init__(self, linux, folder):
        self.linux = linux
        self._folder = folder
        self._runs = 0

    def tell(self, command):
        """Returns (status, output); pytest shows both if the test fails."""
        status, said = self.linux.tell(command)
        print(f"# {command}: {status}\n{said}")
        return status, said

    def run(self, command):
        status, said = self.tell(command)
        assert status == 0, said
        return said

    def measure(self, plan, options="", user=""):
        """Run a plan, optionally as another user; returns (status, output, results).

        The results are None unless the status is PASSED, FAILED or PLAN_ERRORS.
        """
        self._runs += 1
        out = f"/tmp/out-{self._runs}"
        self.linux.put("/tmp/plan.cfg", plan.encode("ascii"))
        self.run(f"mkdir -m 777 {out}")
        command = f"barecount-linux --plan /tmp/plan.cfg --events /events --out {out} {options}"
        status, said = self.tell(f"su {user} -c '{command}'" if user else command)
        target = self._folder / str(self._runs)
        self.linux.fetch(out, target)
        measured = status in (results.PASSED, results.FAILED, results.PLAN_ERRORS)
        return status, said, run_schema.read(target / "0001") if measured else None

    @contextlib.contextmanager
    def setting(self, name, value):
        path = f"/proc/sys/kernel/{name}"
        before = self.run(f"cat {path}").strip()
        self.run(f"echo {value} >{path}")
        try:
            yield
        finally:
            self.run(f"echo {before} >{path}")

    @contextlib.contextmanager
    def counters_taken(self, events):
        """Let perf occupy all counters of CPU 0 until the `with` ends.

        perf's group is pinned (D). Once a second group is not counted, no counter is free. The
        second group is not pinned, because Linux never retries a pinned group that has found the
        counters in use.
        """
        group = "{" + ",".join(events) + "}"
        self.run(f"perf stat -C 0 -e '{group}:D' sleep 1000 & echo $! >/tmp/holder.pid; "
                 f"until perf stat -x, -C 0 -e '{group}' sleep 0.1 2>&1 | grep -q 'not counted'; "
                 "do sleep 0.2; done")
        try:
            yield
        finally:
            self.run("kill $(cat /tmp/holder.pid); wait $(cat /tmp/holder.pid) || true")


@contextlib.contextmanager
def session(folder, cpus, **spec):
    with linux_machine.booted(folder, FILES, cpus=cpus, memory_mib=512, **spec) as linux:
        yield Session(linux, folder)


def slots_of(found, cpu=0):
    """The number of events that need a general counter, for each pass on a CPU."""
    passes = next(known["passes"] for known in found.run["cpus"] if known["cpu"] == cpu)
    return [sum(slot["event"] not in expect.FIXED for slot in slots) for slots in passes]


def check_known(found, kernels, cpus, events=(), declared=expect.DECLARED):
    """Assert that these kernels' declared counts are exact in every sample on each CPU.

    `declared` maps each event to the name of the declared count, such as "branches". `events` are
    the events to check; by default all of `declared`.
    """
    for cpu in cpus:
        for kernel in kernels:
            for event, count in ((event, declared[event]) for event in events or declared):
                row = expect.row_of(found, kernel, event, cpu)
                right = str(expect.declared(kernel, count))
                assert [row["min"], row["median"], row["max"]] == [right] * 3, row
                assert row["verdict"] == "exact" and row["ring"] == "usr", row


def sysctl_of(said):
    return dict(re.findall(r"kernel\.(\w+)=(-?\d+)", said))
