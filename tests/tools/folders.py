# SPDX-License-Identifier: BSD-2-Clause
"""Results folders with computed counts, for tests of tools. Tests may add faults to a folder.

The count of each event in each kernel is c0 + c1 * n. Cycles, time stamps and their spread are
invented.
"""
import csv
import dataclasses
import json
import pathlib

import results
from plural import counted

TSC_HZ = 2_000_000_000
RUN_ID = 0x749ccc14b  # the id of the run in a journal
DECLARED = ("instructions", "branches", "taken_branches", "loads", "stores")


@dataclasses.dataclass(frozen=True)
class Event:
    """`counts` names what the event counts: one of DECLARED, "cycles", or any other name."""

    name: str
    encoding: str
    counts: str
    counter: str = "pmc0"
    unit: str = "count"
    ring: str = "os"
    scope: str = "thread"


@dataclasses.dataclass(frozen=True)
class Kernel:
    """`counts`: name -> (c0, c1). A count with a name in DECLARED is declared.

    `pairs`: the kernel runs on every pair of CPUs, and each CPU's rows name its partner.
    """

    name: str
    counts: dict
    n: int = 1000
    family: str = "loops"
    param: str = ""
    buffer_bytes: int = 0
    title: str = ""
    argument: int = 0
    pairs: bool = False
    copies: int = 1

    def count(self, what):
        constant, slope = self.counts[what]
        return constant + slope * self.n


EVENTS = (Event("INST_RETIRED.ANY", "r0100", "instructions", "fixed0"),
          Event("CPU_CLK_UNHALTED.THREAD", "r0200", "cycles", "fixed1", "cycles"),
          Event("BR_INST_RETIRED.ALL_BRANCHES", "r00c4", "branches"))
KERNELS = (Kernel("empty", {"instructions": (0, 0), "branches": (0, 0), "cycles": (0, 0)}, 1,
                  "straight"),
           Kernel("loop_dec_jnz", {"instructions": (0, 2), "branches": (0, 1), "cycles": (15, 1)}),
           Kernel("load", {"instructions": (0, 6), "branches": (0, 1), "cycles": (15, 2)},
                  family="memory", buffer_bytes=4096))


# Rows of uncore events exist for only one CPU of each package.
DRAM_READ, DRAM_WRITE = (
    Event(f"dram_{what}_bytes", f"uncore_imc/config={umask << 8 | 4:#x}/", f"lines_{what}",
          f"imc{counter}", "bytes", "", results.PACKAGE)
    for counter, (what, umask) in enumerate((("read", 3), ("write", 12))))
ENERGY = Event("package_energy_uJ", "uncore_energy/counter=0/", "energy", "energy0", "uJ", "",
               results.PACKAGE)
RATES = {"bytes": ("GB/s", 1), "uJ": ("W", 1000)}  # unit -> (unit of the rate, rate of 1 per ns)


def number(value):
    """A number as the program prints it: up to three decimals, without trailing zeros."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def nanoseconds(kernel):
    return (kernel.count("cycles") + 60) * 1e9 / TSC_HZ


def row_of(cpu, kernel, event, runs, partner=""):
    """A row whose samples are all the same; it is the TSC's row if `event` is None."""
    counts = "cycles" if event is None else event.counts
    count = kernel.count(counts) if event else kernel.count("cycles") + 60
    declared = event is not None and event.counts in DECLARED and event.counts in kernel.counts
    row = dict.fromkeys(results.HEADER, "")
    row |= {"cpu": cpu, "apic_id": cpu, "kernel": kernel.name, "param": kernel.param,
            "event": event.name if event else "TSC",
            "encoding": event.encoding if event else "rdtsc", "runs": runs, "rejected": 0,
            "stddev": 0, "per_iteration": number(count / kernel.n),
            "expected": count if declared else "",
            "verdict": "exact" if declared else "measured", "ring": event.ring if event else "os",
            "mode": "serial", "counter": event.counter if event else "", "pass": 0,
            "partner": partner,
            "scope": event.scope if event else "thread",
            "unit": event.unit if event else "tsc ticks", "n": kernel.n, "copies": kernel.copies,
            "modes": 1, "mad": 0, "stable": "yes"}
    row |= dict.fromkeys(("min", "median", "mean", "max", "q1", "q3"), count)
    row |= dict.fromkeys(("per_copy", "per_copy_min", "per_copy_max"),
                         number(kernel.counts[counts][1] / kernel.copies))
    if event and event.unit in RATES:
        rate_unit, factor = RATES[event.unit]
        row |= {"rate": number(count * factor / nanoseconds(kernel)), "rate_unit": rate_unit}
    return {name: str(value) for name, value in row.items()}


def put_bounds(row):
    ends = row["expected"].split("..")
    row |= {"expected_low": ends[0], "expected_high": ends[-1]}


def sample_rows(row):
    for attempt in range(int(row["runs"])):
        sample = dict.fromkeys(results.SAMPLES_HEADER, "0")
        sample |= {name: row[name] for name in ("cpu", "kernel", "param", "n", "event", "partner")}
        sample |= {"pass": row["pass"] or "0", "attempt": str(attempt), "accepted": "1",
                   "evidence": "", "tsc": "16000", "raw": row["median"]}
        yield sample


def package_of(number=0, cpu=0, *groups, **other):
    """An item of run.json's `packages`; each group is (kind, units, counters, bits[, fault])."""
    return {"cpu": cpu, "package": number, "model": "Skylake-SP", "status": "ok",
            "left_running": 0, "energy_step_uj": {},
            "groups": [{"kind": kind, "status": "ok", "units": units, "counters": counters,
                        "width_bits": bits, "test": "".join(fault) or "right"}
                       for kind, units, counters, bits, *fault in groups], **other}


def cpu_of(cpu, **other):
    return {"cpu": cpu, "apic_id": cpu, "boot_cpu": cpu == 0, "package": 0, "core": cpu,
            "thread": 0, "siblings": 0, "vendor": "Intel",
            "brand": "Intel Xeon Processor (Skylake)", "family": 6, "model": 85, "stepping": 4,
            "signature": "0x50654", "core_type": "", "microcode": "0x1", "invariant_tsc": True,
            "pmu": {"version": 4, "general_counters": 4, "fixed_counters": "0x7"}, "passes": [],
            "clock": {"mhz": 2000, "tsc_mhz": 2000}, **other}


def noise_of(cpu, when, gaps=2):
    return {"cpu": cpu, "when": when, "status": "ok", "threshold_ns": 1000,
            "runtime_us": 100000, "noise_us": 10.5 * gaps, "max_single_us": 12.25,
            "available_percent": 100 - 0.0105 * gaps, "gaps": gaps, "hw": gaps, "nmis": 0,
            "smis": 0, "smi_gaps": 0, "unexplained": gaps,
            "histogram": [{"from_ns": 8000, "from_ticks": 16000, "gaps": gaps}]}


def run_json(cpus, kernels, rows, runs, run_number, machine):
    verdicts = {word: sum(row["verdict"] == word for row in rows)
                for word in ("fault", "timeout", "unavailable", "noisy", "off", "within", "exact",
                             "measured")}
    failed = sum(map(results.fails, rows))
    spoilt = [row["noisy_by"] for row in rows if row["noisy_by"]]
    by = ", ".join(dict.fromkeys(spoilt))
    noisy = f", {counted(len(spoilt), 'row')} of time noisy ({by})" if spoilt else ""
    return {
        "schema": 5, "program": "barecount", "version": "0.1.0", "source": "bare metal",
        "number": run_number, "run": f"{run_number:04}-{RUN_ID:016x}", "label": "",
        "started": "2026-11-22T10:00:00",
        "machine": {"maker": "QEMU", "product": "Standard PC (Q35 + ICH9, 2009)",
                    "uuid": "00112233-4455-6677-8899-aabbccddeeff", "firmware_vendor": "EDK II",
                    "firmware_version": "0.0.0", "uefi": "2.7", "tsc_hz": TSC_HZ,
                    "tsc_source": "from CPUID.15H", "cpus_found": cpus, "cpus_usable": cpus,
                    "firmware_timer_stopped": True, "parked": "by the firmware", **machine},
        "plan": {"file": "barecount\\plan.cfg", "runs": runs, "runs_asked": runs, "warmup": 5,
                 "cpus": cpus, "strict": False, "errors": 0, "text": "version=1\n"},
        "kernels": [{"name": kernel.name, "title": kernel.title or f"{kernel.name} of a test",
                     "family": kernel.family, "param": kernel.param, "file": "",
                     "crc32": "0x12345678", "n": kernel.n, "argument": kernel.argument,
                     "buffer_bytes": kernel.buffer_bytes, "copies": kernel.copies,
                     **{what: kernel.count(what) for what in DECLARED if what in kernel.counts}}
                    for kernel in kernels],
        "cpus": [cpu_of(cpu) for cpu in range(cpus)], "buffers": [], "state": [],
        "not_restored": [], "remarks": [], "errors": [],
        "noise": {"samples": len(rows) * runs, "rejected": 0, "smis": 0, "nmis": 0},
        "noise_certificates": [noise_of(cpu, when) for cpu in range(cpus)
                               for when in ("before", "after")],
        "verdict": {"line": (f"FAIL {failed}" if failed else "PASS") + noisy, **verdicts,
                    "noisy_of_time": len(spoilt), "noisy_by": by},
        "elapsed_us": 1_000_000, "memory_bytes": 4_534_272, "stopped_by_user": False,
        "samples_dropped": False, "complete": True,
    }


def places_of(cpus, kernel):
    """(CPU, partner) of a kernel's rows, in the program's order, a pair's lower CPU first."""
    if not kernel.pairs:
        return [(cpu, "") for cpu in range(cpus)]
    return [place for one in range(cpus) for other in range(one + 1, cpus)
            for place in ((one, other), (other, one))]


def write_csv(path, header, rows):
    with open(path, "w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, header, lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)


def make(folder, cpus=1, kernels=KERNELS, events=EVENTS, runs=5, run_number=1, machine=None,
         change=None, change_run=None, samples=False, package_cpus=(0,)):
    """Write a folder and return its path.

    `change(row)` may change each row of results.csv before it is written; a row is a dictionary of
    strings. `change_run(run)` may change run.json in the same way. Rows of package events exist
    only for the CPUs in `package_cpus`.
    """
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    rows = [row_of(cpu, kernel, event, runs, partner) for kernel in kernels
            for cpu, partner in places_of(cpus, kernel)
            for event in (*events, None) if event is None or event.counts in kernel.counts
            and (event.scope != results.PACKAGE or cpu in package_cpus)]
    rows.sort(key=lambda row: int(row["cpu"]) if row["partner"] == "" else cpus)
    for row in rows if change else ():
        change(row)
    run = run_json(cpus, kernels, rows, runs, run_number, machine or {})
    if change_run:
        change_run(run)
    for row in rows:
        put_bounds(row)
        row |= {"run": run["run"], "machine": run["machine"].get("uuid", "")}
    write_csv(folder / "results.csv", results.HEADER, rows)
    if samples:
        write_csv(folder / "samples.csv", results.SAMPLES_HEADER,
                  [sample for row in rows if row["runs"] != "0" for sample in sample_rows(row)])
    (folder / "run.json").write_text(json.dumps(run, indent=1) + "\n", "ascii")
    return folder


def add_plan_errors(run, count):
    run["plan"]["errors"] = count
    run["errors"] += [f"plan.cfg:{line}: unknown key 'bogus'" for line in range(1, count + 1)]
    run["verdict"]["line"] += f", {count} plan error" if count == 1 else f", {count} plan errors"


def make_refused(folder, errors, **other):
    """Like make(), but the plan contains errors and strict=yes, so nothing was measured."""
    def refuse(run):
        run["plan"]["strict"] = True
        run["verdict"] = {**dict.fromkeys(run["verdict"], 0),
                          "line": "NOT MEASURED strict=yes"}
        add_plan_errors(run, errors)

    folder = make(folder, change_run=refuse, **other)
    write_csv(folder / "results.csv", results.HEADER, [])
    return folder
