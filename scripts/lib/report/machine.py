# SPDX-License-Identifier: BSD-2-Clause
"""The report's sections about a whole run: verdict, machine, CPUs, state, noise and plan."""
import collections

from plural import counted
from report import svg
import results
from report.folder import HOSTS_TIME, brief, emulated_words, numbers_of, some_cpus
from report.html import breakable, cell, details, items, join, row, table, tag

# These fields identify an individual machine.
SERIALS = ("uuid", "serial", "asset", "mac", "hostname", "machine_id", "boot_id")
AS_DECLARED = ("No row has the verdict 'off', 'noisy', 'fault' or 'timeout': every declared count "
               "that could be measured on this machine is as declared.")
SPOILT = ("Every declared count that could be measured on this machine is as declared. Times, "
          "cycles and rates of 'noisy' rows were disturbed, which does not fail the run")
MEANS = {
    results.PASSED: AS_DECLARED, results.PLAN_ERRORS: AS_DECLARED,
    results.FAILED: "Rows have the verdict 'off', 'noisy', 'fault' or 'timeout'. They are listed "
                    "first below, each with its reason. Do not use them, and find out the cause "
                    "before you use other rows.",
    results.INCOMPLETE: "The run is incomplete: numbers may be missing. All numbers shown were "
                        "measured.",
}
AMD = ("AMD", "Hygon")  # vendors with AMD's PMU
FAILED_UNDER_LINUX = ("Rows are 'noisy', or not as the kernels declare, because they include what "
                      "the operating system adds. They are listed first below; the comparison says "
                      "how much the operating system adds.")
REFUSED = "Nothing was measured: the plan has errors, and strict=yes."
NOT_MEASURED = "No counter counted anything, so the report shows only time stamps, if any."
VERDICTS = ("fault", "timeout", "noisy", "off", "unavailable", "within", "exact", "measured")
VERDICT_MEANS = {
    "fault": "the kernel raised an exception, changed what it must leave alone, or stopped the "
             "machine; or memory ran out, or a machine check ended the run",
    "timeout": "the kernel, or a CPU that it needs, did not answer in time",
    "noisy": "too few clean samples, or samples that differ although the kernel declares an exact "
             "count; in a virtual machine, also a row that would otherwise be 'off'. A noisy row "
             "does not fail the run if nothing is declared for it and only heat, a limit or the "
             "clock disturbed it. All other noisy rows fail the run",
    "off": "not what the kernel declares; or the counter failed its test or calibration; or passes "
           "do not agree",
    "unavailable": "the kernel cannot run here, or the event cannot be counted here",
    "within": "in the declared range, or not below the lower bound",
    "exact": "every sample is as declared", "measured": "nothing is declared for it",
}


def verdict_class(verdict):
    return "bad" if verdict in results.FAILING else "good" if verdict in results.COUNTED else "note"


def emulated_note(folders):
    words = emulated_words(folders)
    return tag("p", f"Cycles: {words}. The time stamp, gaps and rates of an emulated machine "
                    "are the host's time.", cls="note") if words else ""


def card(folder):
    status = folder.status
    shade = "good" if status == results.PASSED else "bad"
    line = folder.verdict_line or "no verdict"
    means = MEANS[status]
    if means == AS_DECLARED and not line.startswith("PASS"):
        means, shade = REFUSED if folder.is_refused else NOT_MEASURED, "unmeasured"
    elif means == AS_DECLARED and folder.noisy_by:
        means = f"{SPOILT} ({folder.noisy_by})."
    if status == results.FAILED and folder.source == results.LINUX:
        means = FAILED_UNDER_LINUX
    if status == results.INCOMPLETE:
        line = f"INCOMPLETE ({line})" if folder.verdict_line else "INCOMPLETE"
    elif status == results.FAILED and not line.startswith("FAIL"):
        line, means = "FAIL", f"The file's own verdict, {line}, contradicts its rows. {means}"
    counts = collections.Counter(found["verdict"] for found in folder.rows)
    told = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word]) or "no rows"
    label = folder.run.get("label", "")
    return tag("div", tag("h3", f"{folder.name}: {folder.model}"),
               tag("p", line, cls="verdict"), tag("p", means), tag("p", f"Rows: {told}."),
               tag("p", f"Label: {label}") if label else "", emulated_note([folder]),
               join(tag("p", problem, cls="problem") for problem in folder.problems),
               cls=f"card {shade}")


def verdict_table(folders):
    counts = [collections.Counter(found["verdict"] for found in folder.rows) for folder in folders]
    rows = (row(word, *(cell(str(count[word]),
                             verdict_class(word) if count[word] else None) for count in counts),
                cell(VERDICT_MEANS[word], "words")) for word in VERDICTS)
    return table(("Verdict", *(f"{f.name}, rows" for f in folders), "Meaning"), rows, "Verdicts",
                 "numbers")


def _mhz(hertz):
    return f"{hertz / 1e6:.3f} MHz" if isinstance(hertz, (int, float)) and hertz else "not known"


def _facts(folder, with_serials):
    run, machine = folder.run, folder.run.get("machine", {})
    plan = run.get("plan", {})
    by_linux = folder.source == results.LINUX
    yield "Counted by", "barecount-linux, under Linux" if by_linux else folder.source
    linux = run.get("linux")
    for key, value in linux.items() if isinstance(linux, dict) else ():
        if with_serials or not any(word in key.lower() for word in SERIALS):
            words = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
            yield f"Linux: {key.replace('_', ' ')}", words
    yield "Machine", " ".join(str(machine.get(key, "")) for key in ("maker", "product")).strip()
    for key in SERIALS if with_serials else ():
        if key in machine:
            yield key.replace("_", " ").capitalize(), str(machine[key])
    if not by_linux:
        firmware = (machine.get("firmware_vendor", ""), machine.get("firmware_version", ""))
        yield "Firmware", (f"{' '.join(map(str, firmware))}, UEFI {machine.get('uefi', '?')}"
                           f"{', Secure Boot on' if machine.get('secure_boot') else ''}")
        yield "CPUs that wait", str(machine.get("parked", ""))
    yield "CPUs", (f"{machine.get('cpus_found', '?')} found, {machine.get('cpus_usable', '?')} "
                   f"usable, {plan.get('cpus', '?')} in the plan")
    if folder.emulated:
        yield "Cycles", folder.emulated
    yield "Time stamp", (f"{_mhz(machine.get('tsc_hz'))}, "
                         f"{machine.get('tsc_source', 'source unknown')}"
                         f"{', ' + HOSTS_TIME if folder.emulated else ''}")
    kernels = counted(len(run.get("kernels", ())), "kernel")
    runs = counted(plan.get("runs", "?"), "run")
    yield "Plan", (f"{plan.get('file', '?')}: {kernels}, {runs}, "
                   f"{plan.get('warmup', '?')} before them to warm up")
    noise = run.get("noise", {})
    yield "Samples", (f"{noise.get('samples', '?')}, of which {noise.get('rejected', '?')} were "
                      f"rejected; SMIs {noise.get('smis', 'not counted')}, NMIs "
                      f"{noise.get('nmis', 'not counted')}")
    yield "Started", str(run.get("started", ""))
    elapsed_us = run.get("elapsed_us")
    yield "Took", f"{elapsed_us / 1e6:.1f} s" if isinstance(elapsed_us, (int, float)) else ""
    yield "Program", f"{run.get('program', '?')} {run.get('version', '?')}"


def machine_table(folders, with_serials):
    columns = [dict(_facts(folder, with_serials)) for folder in folders]
    names = dict.fromkeys(name for column in columns for name in column)
    rows = (row(name, *(column.get(name) or "unknown" for column in columns)) for name in names)
    return table(("", *(folder.name for folder in folders)), rows, "Machines", "pairs")


def _folded(found, what_of):
    """[(CPUs as text, description)]; CPUs with the same description are merged."""
    groups = {}
    for item in found:
        groups.setdefault(what_of(item), []).append(item.get("cpu", -1))
    return [(numbers_of(cpus), what) for what, cpus in groups.items()]


def _pmu_words(cpu):
    """AMD's PMUs have no fixed counters."""
    pmu = cpu.get("pmu", {})
    version, general = pmu.get("version", "?"), pmu.get("general_counters", "?")
    if cpu.get("vendor") in AMD and version in (1, 2):
        return f"{'PerfMonV2' if version == 2 else 'without PerfMonV2'}: {general}"
    fixed = str(pmu.get("fixed_counters", "0x0"))
    return f"version {version}: {general} + " \
           f"{int(fixed, 16).bit_count() if fixed.startswith('0x') else '?'}"


def cpu_table(folder):
    def what_of(cpu):
        clock = cpu.get("clock", {})
        core = cpu.get("core_name") or cpu.get("core_type")
        return (f"{cpu.get('brand', '').rstrip()}{f', {core}' if core else ''}",
                f"{cpu.get('family', '?')}/{cpu.get('model', '?')}/{cpu.get('stepping', '?')}",
                str(cpu.get("microcode", "")),
                _pmu_words(cpu),
                str(clock.get("mhz", "")), str(clock.get("nominal_mhz", "")),
                "yes" if cpu.get("invariant_tsc") else "no",
                ", ".join(f"{name} {svg.size_text(size)}" for name, size in
                          folder.caches_of([cpu.get("cpu")]).items()) or "unknown")

    header = ("CPUs", "Name", "Family/model/stepping", "Microcode",
              "PMU: general + fixed counters", "Clock while measured, MHz", "Nominal, MHz",
              "Invariant time stamp", "Caches")
    folded = _folded(folder.run.get("cpus", ()), what_of)
    rows = (row(cpus, cell(what[0], "words"), *what[1:-1], cell(what[-1], "words"))
            for cpus, what in folded)
    return table(header, rows, "CPUs", "pairs")


def counter_table(folder):
    groups = {}
    for cpu in folder.run.get("cpus", ()):
        for number, slots in enumerate(cpu.get("passes", ())):
            for slot in slots if isinstance(slots, list) else ():
                what = (slot.get("event", ""), f"{slot.get('counter', '')}/{number}",
                        slot.get("means", ""), str(slot.get("control", "")),
                        slot.get("erratum", ""))
                groups.setdefault(what, []).append(cpu.get("cpu", -1))
    rows = (row(breakable(what[0]), what[1], cell(what[2], "words"), what[3], numbers_of(cpus),
                what[4]) for what, cpus in groups.items())
    return table(("Event", "Counter/pass", "Counts", "Control", "CPUs", "Erratum"), rows,
                 "Settings of the counters", "pairs")


def state_table(folder):
    def what_of(item):
        words = (str(item.get(key, "")) for key in ("setting", "register", "found", "asked"))
        return (*words, "yes" if item.get("set") else "no", str(item.get("read_back", "")),
                str(item.get("status", "")))

    folded = _folded(folder.run["state"], what_of)
    rows = (row(what[0], cpus, *what[1:-1],
                cell(what[-1], None if what[-1] == "ok" else "words note"))
            for cpus, what in folded)
    return table(("Setting", "CPUs", "Register", "Found", "Asked", "Set", "Read back", "Status"),
                 rows, "State of the machine", "pairs")


def _notes(folder):
    for key, words in (("errors", "Errors"), ("remarks", "Remarks"),
                       ("not_restored", "Not restored to the state before the run")):
        if folder.run.get(key):
            yield tag("h4", words) + items(map(str, folder.run[key]))


def machine_details(folder, packages):
    parts = [tag("h3", f"{folder.name}: {folder.model}"), cpu_table(folder), packages]
    parts.append(state_table(folder) if folder.run.get("state")
                 else tag("p", "The run recorded no state.", cls="small"))
    parts.extend(_notes(folder))
    if any(cpu.get("passes") for cpu in folder.run.get("cpus", ())):
        parts.append(details("Settings of every counter", counter_table(folder)))
    text = folder.run.get("plan", {}).get("text", "")
    if text:
        parts.append(details("The plan", tag("pre", str(text))))
    return join(parts)


def _time(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{svg.three_digits(nanoseconds / size)} {unit}"
    return f"{svg.three_digits(nanoseconds)} ns"


def _length(microseconds):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.1f} {unit}"
    return f"{microseconds:.1f} us"


def _bounds(found):
    """The lower bounds of all bins, including empty bins; each is about twice the bound before it.
    """
    bounds = []
    for bound in sorted({b.get("from_ns", 0) for item in found for b in item.get("histogram", ())}):
        while bounds and 0 < 3 * bounds[-1] < bound:
            bounds.append(2 * bounds[-1])
        bounds.append(bound)
    return bounds


def noise_section(folder, anchor):
    found = [item for item in folder.run.get("noise_certificates", ())
             if item.get("status") == "ok"]
    missing = len(folder.run.get("noise_certificates", ())) - len(found)
    title = tag("h3", f"{folder.name}: {folder.model}")
    if not found:
        return title + tag("p", "There is no noise certificate, or none could be made.", cls="note")
    worst = max(found, key=lambda item: item.get("max_single_us", 0))
    least = min(found, key=lambda item: item.get("available_percent", 100))
    unexplained = sum(item.get("unexplained", 0) for item in found)
    said = tag("p", f"The longest gap lasted {_length(worst.get('max_single_us', 0))}, on CPU "
                    f"{worst.get('cpu')} {worst.get('when')} its kernels. CPU {least.get('cpu')} "
                    f"was disturbed the most, {least.get('when')} its kernels: it was undisturbed "
                    f"for {brief(least.get('available_percent', 100))} % of its time. Gaps "
                    "during which neither an SMI nor an NMI occurred (unexplained): "
                    f"{unexplained}.")
    failed = tag("p", f"{counted(missing, 'certificate')} could not be made.",
                 cls="note") if missing else ""
    columns = (("Watched, us", "runtime_us"), ("Noise, us", "noise_us"),
               ("Available, %", "available_percent"), ("Max single, us", "max_single_us"),
               ("Gaps", "gaps"), ("HW", "hw"), ("NMIs", "nmis"), ("SMIs", "smis"),
               ("Unexplained", "unexplained"), ("Threshold, ns", "threshold_ns"))
    rows = (row(f"CPU {item.get('cpu')}, {item.get('when')}",
                *(brief(item[key]) if key in item else "unknown" for _, key in columns),
                cell(", ".join(f"{_time(b.get('from_ns', 0))}: {b.get('gaps')}"
                               for b in item.get("histogram", ())), "words")) for item in found)
    whole = table(("CPU", *(words for words, _ in columns), "Gaps by length, from"), rows,
                  f"Noise of {folder.name}", "numbers")
    return join((title, said, failed, _noise_figure(folder, found, anchor),
                 details("Every CPU, before and after", whole)))


def _noise_figure(folder, found, anchor):
    buckets = _bounds(found)
    if not buckets:
        return tag("p", "There were no gaps.")
    totals = {when: [sum(b.get("gaps", 0) for item in found if item.get("when") == when
                         for b in item.get("histogram", ()) if b.get("from_ns", 0) == bucket)
                     for bucket in buckets] for when in ("before", "after")}
    figure = svg.bars([_time(bucket) for bucket in buckets], totals, "gap of at least",
                      "gaps, all CPUs")
    rows = (row(_time(bucket), *(str(totals[when][place]) for when in totals))
            for place, bucket in enumerate(buckets))
    return tag("div", svg.framed(
        figure, anchor, f"Gaps by length, {folder.name}",
        "Gaps in the time stamp while no kernel ran, by their length; each bar begins at the "
        f"length at which the previous bar ends. From {len(found)} certificates of "
        f"{some_cpus([item.get('cpu', -1) for item in found])}, made before and after the kernels.",
        table(("At least", "Before", "After"), rows, "Gaps by length", "numbers"),
        [folder], HOSTS_TIME if folder.emulated else ""), cls="figures")
