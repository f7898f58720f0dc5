# SPDX-License-Identifier: BSD-2-Clause
"""The lines that the demonstration prints, and its exit status."""
import collections
import dataclasses
import pathlib

from machine import qemu
import results

RIGHT = ("exact", "within")
INDENT = " " * 12


def path(of):
    of = pathlib.Path(of).resolve()
    return str(of.relative_to(qemu.TOP)) if of.is_relative_to(qemu.TOP) else str(of)


def declared(rows):
    return [row for row in rows if row["expected"]]


def is_exact(found):
    """Whether a run passed and every declared count is right; False if no count is declared."""
    rows = declared(found.rows)
    return found.status in (results.PASSED, results.PLAN_ERRORS) and bool(rows) and \
        all(row["verdict"] in RIGHT for row in rows)


def status(bare, under_linux):
    if results.INCOMPLETE in (bare.status, under_linux.status):
        return results.INCOMPLETE
    if not is_exact(bare) and not bare.is_refused:
        return results.FAILED
    return results.PLAN_ERRORS if bare.plan_errors or under_linux.plan_errors else results.PASSED


def _is_bound(row):
    return row["expected_high"] == ""


def _right(rows):
    return f"{sum(row['verdict'] in RIGHT for row in rows):,} of {len(rows):,}"


def _share(rows):
    counts = [row for row in declared(rows) if not _is_bound(row)]
    bounds = [row for row in declared(rows) if _is_bound(row)]
    held = f", {_right(bounds)} lower bounds hold" if bounds else ""
    return f"{_right(counts)} declared counts are exact{held}"


def bare_metal(found):
    yield f"{INDENT}{found.verdict_line}: {_share(found.rows)}"


def linux(found):
    about = found.run.get("linux", {})
    watchdog = {True: "on", False: "off"}.get(about.get("nmi_watchdog"), "unknown")
    yield f"{INDENT}Linux {about.get('kernel', '?')}, read by {about.get('read_by', '?')}, " \
          f"NMI watchdog {watchdog}"
    both = [row for row in found.rows if row["ring"] == "both"]
    own = [row for row in found.rows if row["ring"] == "usr"]
    yield f"{INDENT}{found.verdict_line}: user mode alone: {_share(own)}"
    if declared(both):
        yield f"{INDENT}with Linux's own part: {_share(both)}"


def times(bare, under_linux):
    """Yield a table of seconds from power-on: until the run was ready, and until it had results."""
    yield f"{'Seconds from power-on until':<30}{'bare metal':>12}{'Linux':>10}{'ratio':>8}"
    for what, one, other in zip(("it is ready to measure", "the results are written"), bare,
                                under_linux):
        yield f"  {what:<28}{one:>12.1f}{other:>10.1f}{other / one:>8.2f}"
    yield "  (QEMU itself loads Linux, without a disk or a boot loader, which is the quickest way)"


def verdicts(found):
    for ring, title in (("own", "in the kernels' ring alone"), ("both", "in both rings")):
        tally = collections.Counter(row.verdict for row in found.rows
                                    if (row.ring == "both") == (ring == "both"))
        if tally:
            yield f"{title:<28}" + ", ".join(f"{count:,} {word}" for word, count
                                             in tally.most_common())
    for tax in found.tax:
        if tax.ring == "both" and tax.constant is not None:
            yield f"  tax of {tax.event}: {tax.constant:+,.0f} a sample, {tax.rate or 0:+,.0f} a " \
                  "second"
    yield from (f"! {why}" for why in found.refused)


@dataclasses.dataclass
class Added:
    declared: float = 0
    added: float = 0
    seconds: float = 0
    most: tuple = (0, "")

    def take(self, row, seconds):
        difference = float(row["mean"]) - int(row["expected_low"])
        self.declared += int(row["expected_low"])
        self.added += difference
        self.seconds += seconds
        self.most = max(self.most, (difference, place(row)))


def place(row):
    return f"{row['kernel']} n={row['n']}" + f" {row['param']}" * bool(row["param"]) + \
        f", CPU {row['cpu']}"


def added(found):
    """{event: Added}; rows that declare no single number are left out."""
    where = ("cpu", "kernel", "param", "n", "partner")
    tsc_hz = found.run["machine"]["tsc_hz"]
    seconds = {tuple(row[name] for name in where): float(row["mean"]) / tsc_hz
               for row in found.rows if row["encoding"] == "rdtsc" and row["mean"]}
    events = {}
    for row in found.rows:
        at = tuple(row[name] for name in where)
        is_known = row["expected"] and row["expected_low"] == row["expected_high"]
        if row["ring"] == "both" and is_known and row["mean"] and at in seconds:
            events.setdefault(row["event"], Added()).take(row, seconds[at])
    return events


def what_linux_adds(found):
    events = added(found)
    if not events:
        return
    yield "What Linux adds to a sample of each kernel, including Linux's work during the sample"
    yield f"  {'in both rings':<16}{'added':>12}{'declared':>12}{'share':>9}{'a second':>13}  most"
    for event, sums in events.items():
        share = f"{sums.added / sums.declared:+.1%}" if sums.declared else ""
        yield f"  {event:<16}{sums.added:>12,.0f}{sums.declared:>12,.0f}{share:>9}" \
              f"{sums.added / sums.seconds:>13,.0f}  {sums.most[1]}: {sums.most[0]:+,.0f}"
