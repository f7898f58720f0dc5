# SPDX-License-Identifier: BSD-2-Clause
"""Turn a folder of results into records for the tables of scripts/query.

The tables are strict, so SQLite checks the types of the values.
"""
import collections
import dataclasses
import functools
import json
import typing

import results
from trust import kinds

DECLARED = ("instructions", "branches", "taken_branches", "loads", "stores")
UNIT_OF_MSRS = "value"  # a 64-bit value that is not a count


def _alike(names):
    return {name: name for name in names.split()}


# {column: path of its value in run.json}.
RUN = {
    **_alike("number run label started schema program version stopped_by_user elapsed_us "
             "memory_bytes"),
    **{name: f"machine.{name}" for name in (
        "firmware_vendor", "firmware_version", "uefi", "tsc_hz", "tsc_source", "tsc_measured_hz",
        "cpus_found", "cpus_usable", "emulated", "parked")},
    "timer_stopped": "machine.firmware_timer_stopped", "cpus_planned": "plan.cpus",
    "plan_file": "plan.file", "plan_text": "plan.text", "runs_planned": "plan.runs",
    "runs_asked": "plan.runs_asked", "warmup": "plan.warmup", "plan_errors": "plan.errors",
    "linux_kernel": "linux.kernel", "linux_read_by": "linux.read_by",
    "linux_paranoid": "linux.perf_event_paranoid", "linux_watchdog": "linux.nmi_watchdog",
    "linux_governor": "linux.governor", "linux_isolated": "linux.isolated_cpus",
}
CPU = {
    **_alike("cpu apic_id boot_cpu package ccd ccx core thread siblings vendor brand family model "
             "stepping signature core_type core_name microcode invariant_tsc wrmsr_counted"),
    "pmu_version": "pmu.version", "general_counters": "pmu.general_counters",
    "general_width_bits": "pmu.general_width_bits", "fixed_counters": "pmu.fixed_counters",
    "counter_test": "counter_test.status",
    **{name: f"clock.{name}" for name in (
        "mhz", "base_mhz", "tsc_mhz", "nominal_mhz", "reference_mhz", "core_mhz")},
}
KERNEL = _alike("name param n family title file crc32 argument buffer_bytes")
STATE = {**_alike("cpu setting register found asked read_back status"), "was_set": "set"}
NOISE = {**_alike("cpu status threshold_ns runtime_us noise_us max_single_us "
                  "available_percent gaps hw nmis smis smi_gaps unexplained threshold_ticks "
                  "runtime_ticks noise_ticks longest_ticks aperf mperf"), "taken": "when"}
SLOT = _alike("event counter control means erratum empty_window_min empty_window_max")
GAP = _alike("from_ticks from_ns gaps")
PACKAGE = _alike("cpu package model status error left_running")
GROUP = _alike("kind units counters width_bits status test")
NOTES = {"error": "errors", "remark": "remarks", "not_restored": "not_restored"}


@functools.lru_cache(maxsize=1 << 16)
def number(text):
    return results.number(text)


@functools.lru_cache(maxsize=1 << 16)
def whole(text):
    value = results.number(text)
    if isinstance(value, float):
        raise ValueError(f"'{text}' is not a whole number")
    return value


def _functions(names, wholes, numbers):
    of = {**dict.fromkeys(wholes.split(), whole), **dict.fromkeys(numbers.split(), number)}
    return [(name, of.get(name)) for name in names]


OF_RUN = ("expected", "run", "machine", "time_from")  # other columns or tables contain these
ROW = _functions([name for name in results.HEADER if name not in OF_RUN],
                 "cpu apic_id runs rejected min max pass partner n modes copies expected_low "
                 "expected_high uncore_mhz_low uncore_mhz_high",
                 "median mean stddev per_iteration q1 q3 mad mhz ns rate per_copy per_copy_min "
                 "per_copy_max")
ROW_COLUMNS = [name for name, _ in ROW]
ROW_N = ROW_COLUMNS.index("n")
SAMPLE = _functions(results.SAMPLES_HEADER, "cpu n pass attempt accepted smis nmis tsc raw "
                    "overflowed reference mperf aperf machine_checks gap_ticks partner",
                    "core_per_reference")
COUNTED = ("min", "median", "mean", "max", "q1", "q3")


@dataclasses.dataclass
class Table:
    """The records for one table; `first` is the first record's line in a CSV file, else 0."""

    name: str
    columns: list
    records: typing.Iterable
    file: str = "run.json"
    first: int = 0

    def place(self, number):
        if self.first:
            return f"{self.file}: line {number}"
        return f"{self.file}: {self.name}: item {number}"


def pick(of, path):
    """The value at a path such as "machine.uuid"; None if the value does not exist."""
    for key in path.split("."):
        if of is None:
            return None
        if not isinstance(of, dict):
            raise results.Unreadable(f"run.json: {path}: expected an object that contains {key}")
        of = of.get(key)
    return of


def items(of, key, kind=dict):
    found = of.get(key, [])
    if not isinstance(found, list) or not all(isinstance(item, kind) for item in found):
        raise results.Unreadable(f"run.json: {key}: expected a list of "
                                 f"{'objects' if kind is dict else 'texts or lists'}")
    return found


def _field(of, key, kind, place):
    found = of.get(key)
    if not isinstance(found, kind):
        raise results.Unreadable(f"run.json: {place}: {key}: expected a "
                                 f"{'text' if kind is str else 'whole number'}")
    return found


def _picked(columns, of):
    return [pick(of, path) for path in columns.values()]


def _typed(row, columns, place):
    """The values of a row. `columns` lists pairs (name, converter); the converter None keeps the
    text.
    """
    typed = []
    for name, number in columns:
        try:
            typed.append(number(row[name]) if number else row[name])
        except ValueError as why:
            raise results.Unreadable(f"{place}: column '{name}': {why}") from None
    return typed


def _more(row, header):
    if len(row) == len(header):
        return None
    return json.dumps({name: text for name, text in row.items() if name not in header})


class Folder:
    """The records of a folder of results. tables() yields a table after those that it refers to."""

    def __init__(self, found):
        self.found = found
        self.run = found.run
        self.kernels = {}  # (name, param, n) -> number
        for number, kernel in enumerate(items(self.run, "kernels")):
            place = f"kernels: item {number}"
            key = (_field(kernel, "name", str, place), _field({"param": "", **kernel}, "param", str,
                                                              place),
                   _field(kernel, "n", int, place))
            self.kernels.setdefault(key, number)

    @property
    def run_columns(self):
        return {"source": self.found.source, "complete": self.run.get("complete") is True,
                "verdict": self.found.verdict or None, **dict(zip(RUN, _picked(RUN, self.run)))}

    @property
    def brand(self):
        return next((cpu.get("brand") for cpu in items(self.run, "cpus")), None)

    def tables(self):
        rows = self._rows()  # first, because _rows() adds kernels that run.json lacks
        cpus = items(self.run, "cpus")
        yield Table("cpus", [*CPU], [_picked(CPU, cpu) for cpu in cpus])
        yield Table("cpus", ["cpu", "apic_id", "core_type"], self._further_cpus(cpus),
                    "results.csv")
        yield Table("kernels", ["kernel_no", *KERNEL, *(f"{what}_{end}" for what in DECLARED
                                                        for end in ("low", "high"))],
                    self._kernels())
        known = len(items(self.run, "kernels"))
        yield Table("kernels", ["kernel_no", "name", "param", "n"],
                    [(number, *kernel) for kernel, number in self.kernels.items()
                     if number >= known], "results.csv")
        yield Table("rows", ["kernel_no", *ROW_COLUMNS, "value", "more", "line"], rows,
                    "results.csv", 2)
        yield Table("trust", ["cpu", "event", "counter", "kind"], self._trust(), "results.csv")
        yield Table("packages", ["item", *PACKAGE], self._numbered("packages", PACKAGE))
        yield Table("package_counters", ["item", *GROUP], self._within("packages", "groups", GROUP))
        yield Table("passes", ["cpu", "pass", "slot", *SLOT], self._slots(cpus))
        yield Table("state", ["item", *STATE], self._numbered("state", STATE))
        yield Table("noise", ["item", *NOISE], self._numbered("noise_certificates", NOISE))
        yield Table("noise_gaps", ["item", *GAP], self._within("noise_certificates", "histogram",
                                                               GAP))
        yield Table("notes", ["kind", "item", "text"],
                    [(kind, item, text) for kind, key in NOTES.items()
                     for item, text in enumerate(items(self.run, key, str))])

    def samples(self):
        """The table of samples; its records are read from samples.csv one at a time."""
        encodings = {(row["cpu"], row["event"]): row["encoding"] for row in self.found.rows}
        columns = results.SAMPLES_HEADER

        def records():
            for line, row in enumerate(self.found.each_sample(), 2):
                yield (*_typed(row, SAMPLE, f"samples.csv: line {line}"),
                       encodings.get((row["cpu"], row["event"]), ""), _more(row, columns), line)

        return Table("samples", [*columns, "encoding", "more", "line"], records(), "samples.csv", 2)

    def _rows(self):
        return [self._row(line, row) for line, row in enumerate(self.found.rows, 2)]

    def _row(self, line, row):
        place = f"results.csv: line {line}"
        value = None
        if row["unit"] == UNIT_OF_MSRS:
            if row["median"]:
                value = f"0x{_typed(row, [('median', whole)], place)[0]:x}"
            row = row | dict.fromkeys(COUNTED, "")
        typed = _typed(row, ROW, place)
        kernel_no = self.kernels.setdefault((row["kernel"], row["param"], typed[ROW_N]),
                                            len(self.kernels))
        return (kernel_no, *typed, value, _more(row, results.HEADER), line)

    def _trust(self):
        of_cpu = collections.defaultdict(list)
        for row in self.found.rows:
            of_cpu[whole(row["cpu"])].append(row)
        for cpu, rows in of_cpu.items():
            for (event, counter), pair in kinds.trust_map(rows)[0].items():
                yield cpu, event, counter, pair.kind

    def _further_cpus(self, cpus):
        described = {_field(cpu, "cpu", int, "cpus") for cpu in cpus}
        further = {}
        for row in self.found.rows:
            further.setdefault(whole(row["cpu"]), (whole(row["apic_id"]), row["core_type"]))
        for key in ("state", "noise_certificates", "packages"):
            for item in items(self.run, key):
                further.setdefault(_field(item, "cpu", int, key), (None, None))
        return [(cpu, *rest) for cpu, rest in further.items() if cpu not in described]

    def _kernels(self):
        for number, kernel in enumerate(items(self.run, "kernels")):
            ends = []
            for what in DECLARED:
                count = kernel.get(what)
                ends += count if isinstance(count, list) else [count, count]
            if len(ends) != 2 * len(DECLARED):
                raise results.Unreadable(f"run.json: kernels: item {number}: expected a count to "
                                         "be a number or a list of two numbers")
            yield (number, *_picked(KERNEL, {"param": "", **kernel}), *ends)

    def _slots(self, cpus):
        for cpu in cpus:
            for number, slots in enumerate(items(cpu, "passes", list)):
                for at, slot in enumerate(slots):
                    yield (cpu.get("cpu"), number, at, *_picked(SLOT, slot))

    def _numbered(self, key, columns):
        return [(number, *_picked(columns, item))
                for number, item in enumerate(items(self.run, key))]

    def _within(self, key, inner, columns):
        """The records of the list `inner` in each item of the list `key`.

        Each record begins with the number of its item.
        """
        return [(number, *_picked(columns, one)) for number, item in enumerate(items(self.run, key))
                for one in items(item, inner)]
