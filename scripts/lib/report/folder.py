# SPDX-License-Identifier: BSD-2-Clause
"""Read a folder of results, even an incomplete one, for the report."""
import collections
import itertools
import json
import math
import pathlib

from plural import counted
import shape
import results

TSC_STEP_HZ = 80_000_000  # the slowest bus clock: docs/results.md, "results.csv"
HOSTS_TIME = "emulated: the host's time"
GROUPS_MAX = 8            # the CPUs that fit no group are listed together

# Columns with whole numbers, and whether they may be empty.
WHOLE = {"cpu": False, "n": False, "partner": True, "runs": True, "rejected": True, "modes": True,
         "pass": True, "copies": True}
PARAMETERS = ("size", "stride", "period", "length", "targets", "block")
NUMBERS = ("min", "median", "mean", "max", "q1", "q3", "mad", "ns", "per_iteration", "rate",
           "per_copy", "per_copy_min", "per_copy_max")

Instance = collections.namedtuple("Instance", "kernel param n mode")
Column = collections.namedtuple("Column", "event ring")
Cpu = collections.namedtuple("Cpu", "number partner")


def number(text):
    return float(text) if text else None


def brief(value):
    return f"{value:.3f}".rstrip("0").rstrip(".") if value is not None else ""


def emulated_words(folders):
    """The note that cycles and times are emulated; "" if no folder is from an emulated machine."""
    marks = {folder.name: folder.emulated for folder in folders if folder.emulated}
    if len(marks) == len(folders):
        return "; ".join(dict.fromkeys(marks.values()))
    return "; ".join(f"{name} is {mark}" for name, mark in marks.items())


def numbers_of(numbers):
    parts = []
    for _, run in itertools.groupby(enumerate(sorted(set(numbers))), lambda p: p[1] - p[0]):
        members = [member for _, member in run]
        parts.append(str(members[0]) if len(members) == 1 else f"{members[0]}-{members[-1]}")
    return ",".join(parts)


def some_cpus(numbers):
    return f"CPU{'s' if len(set(numbers)) > 1 else ''} {numbers_of(numbers)}"


def params_of(param):
    return dict(part.split("=", 1) for part in param.split(";") if "=" in part)


def param_text(param):
    return param.replace(";", ", ")


def is_counted(row):
    return row["verdict"] in results.COUNTED and row["median"] != ""


def resolution(row, tsc_hz):
    """The largest difference that is ignored: 2 counts or 1 %, whichever is larger; for times, at
    least a period of the slowest bus clock."""
    step = tsc_hz / TSC_STEP_HZ if row["unit"] in ("tsc ticks", "reference cycles") else 0
    return max(2.0, abs(float(row["median"])) / 100, step)


def reach(row, tsc_hz):
    """How far another row's median may differ: the spread plus the resolution."""
    spread = float(row["q3"]) - float(row["q1"]) if row["q1"] and row["q3"] else 0
    return spread + resolution(row, tsc_hz)


def alike(one, other, tsc_hz):
    if one is None or other is None:
        return one is other
    if one["verdict"] != other["verdict"] or one["reason"] != other["reason"] \
            or one["expected"] != other["expected"] or one["core_type"] != other["core_type"]:
        return False
    exactly = one["expected"] and ".." not in one["expected"]
    if exactly or not one["median"] or not other["median"]:
        return one["median"] == other["median"]
    apart = abs(float(one["median"]) - float(other["median"]))
    return apart <= max(reach(one, tsc_hz), reach(other, tsc_hz))


def same_verdict(one, other, _tsc_hz):
    """Like alike(), but ignores the values: they depend on the distance between a pair's CPUs."""
    if one is None or other is None:
        return one is other
    return one["verdict"] == other["verdict"] and one["reason"] == other["reason"]


def _read_rows(path):
    """(the readable rows of results.csv, the reason why later rows are missing, or "")."""
    rows, table = [], results.read_table(path, results.HEADER)
    while True:
        try:
            row = next(table, None)
        except results.CutOff as why:
            return rows, str(why)
        if row is None:
            return rows, ""
        try:
            _check_numbers(row)
        except ValueError as why:
            raise results.Unreadable(f"{path}: line {len(rows) + 2}: {why}") from None
        rows.append(row)


def _check_numbers(row):
    for name, may_be_empty in WHOLE.items():
        if not (row[name].isdigit() or row[name] == "" and may_be_empty):
            raise ValueError(f"'{row[name]}' in the column {name}: expected a whole number")
    if int(row["n"]) == 0:
        raise ValueError("'0' in the column n: expected 1 or more")
    for name, value in params_of(row["param"]).items():
        if name in PARAMETERS and not value.isdigit():
            raise ValueError(f"'{name}={value}' in the column param: expected a whole number")
    for name in NUMBERS:
        try:
            right = math.isfinite(number(row[name]) or 0)
        except ValueError:
            right = False
        if not right:
            raise ValueError(f"'{row[name]}' in the column {name}: expected a number")


def _by_place(rows):
    cells = {}
    for row in rows:
        instance = Instance(row["kernel"], row["param"], row["n"], row["mode"])
        cpu = Cpu(int(row["cpu"]), int(row["partner"]) if row["partner"] else None)
        columns = cells.setdefault(instance, {}).setdefault(cpu, {})
        columns.setdefault(Column(row["event"], row["ring"]), row)
    return cells


class Folder(results.Results):
    """One run. `problems` are sentences that the reader of the report must see first."""

    def __init__(self, folder):  # Results.__init__ would refuse an incomplete run
        self.folder = pathlib.Path(folder)
        self.problems = []
        self.rows = self._read_rows()
        self.run = self._read_run()
        if not self.run and not self.rows:
            raise results.Unreadable(
                f"{self.folder}: run.json is missing, and results.csv has no rows; scripts/recover "
                "makes them from journal.bin, if there is one")
        self._say_problems()
        self.tsc_hz = self.run.get("machine", {}).get("tsc_hz") or 0
        self.kernels = {(kernel["name"], kernel["param"], str(kernel["n"])): kernel
                        for kernel in self.run.get("kernels", ())}
        # Rows of a package exist only for one CPU of the package.
        cores = [row for row in self.rows if row["scope"] != results.PACKAGE]
        self.columns = list(dict.fromkeys(Column(row["event"], row["ring"]) for row in cores))
        self.cells = _by_place(cores)
        self._several_n = collections.Counter(one._replace(n="") for one in self.cells)
        self.package_cells = _by_place(row for row in self.rows
                                       if row["scope"] == results.PACKAGE)

    def _read_run(self):
        path = self.folder / "run.json"
        if not path.exists() and (self.folder / "results.csv").exists():
            self.problems.append("run.json is missing (it is written last). The machine, "
                                 "its state and the kernels' titles are not known. Try "
                                 "scripts/recover.")
            return {}
        try:
            run = json.loads(path.read_text("ascii"))
        except (OSError, ValueError, RecursionError) as why:
            raise results.Unreadable(f"{path}: {getattr(why, 'strerror', None) or why}; give the "
                                     "folder of one run, such as results/latest") from None
        if isinstance(run, dict):
            results.name_parameters(run, self.rows)
        wrong = shape.misfit(run, shape.RUN)
        if wrong:
            raise results.Unreadable(f"{path}: not as the program writes it: {wrong}")
        return run

    def _read_rows(self):
        path = self.folder / "results.csv"
        if not path.exists():
            self.problems.append("results.csv is missing, so no kernel has any rows.")
            return []
        try:
            rows, cut = _read_rows(path)
        except (OSError, ValueError) as why:
            raise results.Unreadable(f"{path}: {why}") from None
        if cut:
            self.problems.append(f"{cut}. The report shows the lines before it.")
        return rows

    def _say_problems(self):
        if self.run and self.run.get("complete") is not True:
            self.problems.append("The run did not finish, so kernels or CPUs may be missing.")
        elif self.run.get("stopped_by_user"):
            self.problems.append("The user stopped the run, so the kernels that were still to be "
                                 "run have no rows.")
        elif self.run.get("stopped_by_machine_check"):
            self.problems.append("A machine check ended the run, so the kernels that were still to "
                                 "be run have no rows.")
        elif self.run and self.missing:
            self.problems.append(f"The plan has {counted(self.missing, 'pair')} of CPU and kernel "
                                 "without rows.")
        if left_out := len(self.run.get("left_out", ())):
            self.problems.append(f"max_time left out {counted(left_out, 'kernel')} of the plan, "
                                 "listed under 'Remarks' in 'Machine and state'.")
        if errors := self.plan_errors:
            self.problems.append(f"The plan has {counted(errors, 'error')}, listed under 'Errors' "
                                 "in 'Machine and state'.")
        if self.run.get("samples_dropped"):
            self.problems.append("Samples were dropped, because the volume had too little space.")

    @property
    def emulated(self):
        how = self.run.get("machine", {}).get("emulated", "")
        return f"emulated: {how}" if how else ""

    @property
    def model(self):
        brands = dict.fromkeys(cpu.get("brand", "") for cpu in self.run.get("cpus", ()))
        return " / ".join(brand for brand in brands if brand) \
            or self.run.get("machine", {}).get("product", "") or "unknown CPU"

    @property
    def vendor(self):
        return next(filter(None, (cpu.get("vendor") for cpu in self.run.get("cpus", ()))), "")

    def beside_package(self, instance):
        """{Cpu: {Column: row}} of core and package rows, for the CPUs that have package rows."""
        return {cpu: {**self.cells.get(instance, {}).get(cpu, {}), **cells}
                for cpu, cells in self.package_cells.get(instance, {}).items()}

    def package_of(self, cpu):
        return self.told_of(cpu).get("package")

    def _caches_told(self, cpus):
        return {tuple((f"L{cache['level']}{'d' * (cache['type'] == 'data')}", cache["bytes"])
                      for cache in one.get("caches", ()) if cache["type"] != "code")
                for one in self.run.get("cpus", ()) if one.get("cpu") in cpus}

    def caches_of(self, cpus):
        """{name of a data cache: bytes}; {} unless all of these CPUs have the same caches."""
        told = self._caches_told(cpus)
        return dict(told.pop()) if len(told) == 1 else {}

    def caches_differ(self, cpus):
        return len(self._caches_told(cpus)) > 1

    def kernel_of(self, instance):
        return self.kernels.get((instance.kernel, instance.param, instance.n), {})

    def n_words(self, instance):
        """"n=N" if the kernel also ran with another n and the same parameters, else ""."""
        return f"n={instance.n}" if self._several_n[instance._replace(n="")] > 1 else ""

    def rows_alike(self, by_cpu, columns):
        """Group the CPUs whose rows agree in these columns, in at most GROUPS_MAX groups.

        Returns ([[Cpu, ...], ...], [CPUs in no group]).
        """
        groups, rest = [], []
        same = same_verdict if any(cpu.partner is not None for cpu in by_cpu) else alike
        for cpu, cells in by_cpu.items():
            for members, first in groups:
                if all(same(first.get(c), cells.get(c), self.tsc_hz) for c in columns):
                    members.append(cpu)
                    break
            else:
                if len(groups) < GROUPS_MAX:
                    groups.append(([cpu], cells))
                else:
                    rest.append(cpu)
        return [members for members, _ in groups], rest
