# SPDX-License-Identifier: BSD-2-Clause
"""The counts to compare, in the same form for every tool."""
import dataclasses
import functools

from events import codes
import results

BARE_METAL, LINUX, FOREIGN = "bare metal", "linux", "foreign"
BELIEVED = results.COUNTED
NO_COUNT = ("fault", "timeout", "unavailable")
RESOLUTION_COUNTS, RESOLUTION_PART = 2, 0.01  # docs/results.md, "results.csv"
SLOWEST_BUS_HZ = 80_000_000
NUMBER_MAX = 2 ** 80  # counts have at most 64 bits
# {part of run.json: whether the part is a list of objects}. A run under Linux may lack the parts in
# OPTIONAL.
PARTS = {"machine": False, "plan": False, "cpus": True, "kernels": True, "state": True,
         "noise_certificates": True}
OPTIONAL = ("state", "noise_certificates")
NUMBER = (int, float)
KINDS = {"tsc_hz": NUMBER, "uuid": str, "text": str, "pmu": dict, "name": str, "param": str,
         "available_percent": NUMBER, "max_single_us": NUMBER, "gaps": NUMBER, "n": int,
         "apic_id": int, "setting": str, "brand": str, "crc32": str}


@dataclasses.dataclass(frozen=True)
class Place:
    """`apic_id` is None if a tool does not name the CPU."""

    apic_id: int | None
    kernel: str
    param: str = ""
    n: int = 0
    partner: str = ""


@dataclasses.dataclass(frozen=True)
class Count:
    """The count of an event at a place.

    If `trouble` is not empty, the count cannot be compared, and `value` is None. `low` and `high`
    are quartiles, `least` is the smallest sample, and `step` is half of the tool's rounding unit.
    If `is_per_iteration` is true, only the count per iteration is known.
    """

    place: Place
    cpu: str
    event: str
    encoding: str
    ring: str
    claim: str
    value: float | None
    low: float = 0
    high: float = 0
    per_iteration: float | None = None
    is_per_iteration: bool = False
    expected: str = ""
    verdict: str = ""
    trouble: str = ""
    unit: str = "count"
    step: float = 0
    seconds: float | None = None
    core_type: str = ""
    least: float | None = None
    mean: float | None = None
    mean_seconds: float | None = None
    scope: str = ""
    vendor: codes.Vendor = codes.INTEL

    @property
    def is_of_package(self):
        return self.scope == results.PACKAGE

    @property
    def is_declared(self):
        return bool(self.expected) and not self.expected.endswith("..")

    @property
    def identity(self):
        by_name = self.is_of_package or not self.encoding
        return self.is_of_package, codes.plain(self.event) if by_name else \
            codes.canonical(self.encoding, self.vendor)


@dataclasses.dataclass
class Source:
    """`cpus`, `kernels` and `run` are from run.json. A file of a foreign tool may contain the CPU's
    `brand` or `signature` (family, model, stepping).
    """

    name: str
    kind: str
    counts: list
    cpus: dict = dataclasses.field(default_factory=dict)
    kernels: dict = dataclasses.field(default_factory=dict)
    run: dict = dataclasses.field(default_factory=dict)
    notes: list = dataclasses.field(default_factory=list)
    kernel_cpl: int | None = None
    brand: str = ""
    signature: tuple = ()
    modes: frozenset = frozenset()

    @property
    def vendor(self):
        return _vendor(self.cpus)


def _vendor(cpus):
    return codes.of_vendor(next(filter(None, (cpu.get("vendor") for cpu in cpus.values())), ""))


def claim_of(ring, kernel_ring):
    if ring == "both":
        return "both"
    return "own" if ring == kernel_ring else "other"


def resolution(count, tsc_hz):
    """Differences below the resolution are not significant (docs/results.md)."""
    least = RESOLUTION_COUNTS
    if count.unit in ("reference cycles", "tsc ticks") and codes.canonical(
            count.encoding, count.vendor) in ("", *count.vendor.references):
        least = max(least, tsc_hz / SLOWEST_BUS_HZ)
    return max(least, RESOLUTION_PART * abs(count.value))


def _trouble(row):
    because = f": {row['reason']}" if row["reason"] else ""
    if "multiplexed" in row["reason"]:
        return f"multiplexed{because}"
    if row["verdict"] in NO_COUNT or not row["median"]:
        return f"{row['verdict']}{because}"
    return ""


def _number(text):
    value = results.number(text)
    if value is not None and abs(value) > NUMBER_MAX:
        raise ValueError(f"'{text[:20]}...' is not a count")
    return value


def _place(row):
    n = _number(str(int(row["n"])))
    return Place(int(row["apic_id"]), row["kernel"], row["param"], n, row["partner"])


def _stamp(row, place):
    """Return (place, ring, median, mean) if the row counts TSC ticks, or else None."""
    if row["encoding"] != "rdtsc":
        return None
    return place, row["ring"], _number(row["median"]), _number(row["mean"])


def _count(kernel_ring, vendor, seconds, row, place):
    is_of_package = row["scope"] == results.PACKAGE
    if not is_of_package and row["encoding"] and not codes.canonical(row["encoding"]):
        return None
    median_seconds, mean_seconds = seconds.get(place, (None, None))
    ring = "both" if is_of_package else row["ring"] or kernel_ring
    trouble = _trouble(row)
    least, median, mean = (_number(row[name]) for name in ("min", "median", "mean"))
    low, high = (_number(row[name] or row["median"]) or 0 for name in ("q1", "q3"))
    if not row["event"]:
        raise ValueError("a count without an event")
    if not row["cpu"].isdecimal():
        raise ValueError(f"the CPU '{row['cpu']}' is not a number")
    if not trouble and None in (least, mean):
        raise ValueError("a median without a minimum or a mean")
    return Count(place=place, cpu=row["cpu"], event=row["event"], encoding=row["encoding"],
                 ring=ring, claim=claim_of(ring, kernel_ring), value=None if trouble else median,
                 low=low, high=high,
                 per_iteration=_number(row["per_iteration"]), expected=row["expected"],
                 verdict=f"{row['verdict']}: {row['reason']}" if row["reason"] else row["verdict"],
                 trouble=trouble, unit=row["unit"], seconds=median_seconds,
                 core_type=row["core_type"], least=least, mean=mean, mean_seconds=mean_seconds,
                 scope=row["scope"], vendor=vendor)


def _each(where, function, *columns):
    found = []
    for line, fields in enumerate(zip(*columns), 2):
        try:
            one = function(*fields)
        except ValueError as why:
            raise results.Unreadable(f"{where}: line {line}: {why}") from None
        if one is not None:
            found.append(one)
    return found


def _check(run, folder):
    if not isinstance(run, dict):
        raise results.Unreadable(f"{folder}/run.json: expected an object")
    if run.get("source", BARE_METAL) not in (BARE_METAL, LINUX):
        raise results.Unreadable(f"{folder}/run.json: expected 'source' to be '{BARE_METAL}' or "
                                 f"'{LINUX}'")
    for name, is_list in PARTS.items():
        found = run.get(name, [] if name in OPTIONAL else None)
        parts = found if is_list and isinstance(found, list) else [found]
        if is_list != isinstance(found, list) or not all(isinstance(part, dict) for part in parts):
            raise results.Unreadable(f"{folder}/run.json: expected '{name}' to be "
                                     f"{'a list of objects' if is_list else 'an object'}")
        for part in parts:
            for key in part.keys() & KINDS.keys():
                if not isinstance(part[key], KINDS[key]):
                    raise results.Unreadable(f"{folder}/run.json: {name}: '{key}' has a value that "
                                             "the program does not write")


def folder(path):
    loaded = results.Results(path)
    where = loaded.folder / "results.csv"
    _check(loaded.run, path)
    try:
        tsc_hz = loaded.run["machine"].get("tsc_hz", 0)
        places = _each(where, _place, loaded.rows)
        stamps = _each(where, _stamp, loaded.rows, places)
        seconds = {place: (median / tsc_hz, (mean or 0) / tsc_hz)
                   for place, _, median, mean in stamps if median is not None and tsc_hz}
        source = loaded.run.get("source", BARE_METAL)
        kernel_ring = "usr" if source == LINUX else \
            next((ring for _, ring, *_ in stamps if ring), "os")
        cpus = {int(cpu["apic_id"]): cpu for cpu in loaded.run["cpus"]}
        counts = _each(where, functools.partial(_count, kernel_ring, _vendor(cpus), seconds),
                       loaded.rows, places)
        kernels = {(kernel["name"], kernel["param"], int(kernel["n"])): kernel
                   for kernel in loaded.run["kernels"]}
    except (KeyError, TypeError, ValueError) as why:
        raise results.Unreadable(f"{path}: not a folder of results that this version can read "
                                 f"({type(why).__name__}: {why})") from None
    notes = [] if loaded.run.get("complete") is True else \
        [f"{path}: the run is not complete; only its existing rows are compared"]
    return Source(name=str(path), kind=source, counts=counts, cpus=cpus, kernels=kernels,
                  run=loaded.run, notes=notes, kernel_cpl=3 if kernel_ring == "usr" else 0,
                  modes=frozenset(row["mode"] for row in loaded.rows if row["mode"]))
