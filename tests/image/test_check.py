# SPDX-License-Identifier: BSD-2-Clause
"""The plan check.cfg checks a machine. The program's code finds the same CPUs and counters in
machine.txt as on the machine itself.
"""
import re
import subprocess

import documents
import liars
import machine_file
import pytest
from conftest import IMAGE, TOP, plan_text
from levels import in_full, thinned
from machine import cpus
from machine import stick as sticks

FILE = TOP / "scripts/plans/check.cfg"
PLAN = FILE.read_text("ascii").replace("at_end=menu", "at_end=shutdown").replace(
    "runs=10", "runs=3").replace("noise_ms=20", "noise_ms=2")
TOPICS = ("Machine", "Complete", "Errors", "Restored", "CPUs", "Counters", "Counts", "Time",
          "Quiet", "Uncore", "Send")
BAD_COUNTER = re.compile(r"(pmc|fixed)\d failed its test|of unit \d+: ")


def page_of(left, found):
    text = (found.folder / "check.txt").read_text("ascii")
    title, *lines = text.splitlines()
    assert title == "What can be believed on this machine"
    assert text.strip() in re.sub(r"\n\s*\n", "\n", left.console)
    page = {}
    for line in lines:
        topic, words = line[:10].strip(), line[10:]
        if topic:
            page[topic] = words
        else:
            page[next(reversed(page))] += f" {words}"
    assert list(page) == [topic for topic in TOPICS if topic in page]
    return page


def silent_of(rows):
    return {int(row["cpu"]) for row in rows if "did not answer" in row["reason"]}


def check_against_rows(found, page):
    """Check that no sentence of check.txt (`page`) contradicts the rows."""
    rows, run = found.rows, found.run
    right = sum(row["verdict"] in ("exact", "within") for row in rows
                if int(row["cpu"]) not in silent_of(rows))
    spoilt = sum(bool(BAD_COUNTER.search(row["reason"]) or row["reason"].startswith("window cost"))
                 and row["verdict"] in ("off", "noisy") and not row["noisy_by"] for row in rows)
    failed = [row for row in rows if row["verdict"] in ("off", "noisy", "fault", "timeout")
              and not row["noisy_by"]]
    tested = {cpu["cpu"] for cpu in run["cpus"] if cpu.get("counter_test", {}).get("counters")}
    if page["Counters"].startswith("Yes. "):
        assert tested >= {cpu["cpu"] for cpu in run["cpus"]} - silent_of(rows)
    answer = page["Counts"].split(".")[0]
    if not any(row["runs"] not in ("", "0") and row["event"] != "TSC" for row in rows):
        assert answer == "Not known"
    elif len(failed) > spoilt:
        assert answer == "No" and f"{len(failed) - spoilt} row" in page["Counts"]
    else:
        assert answer == ("With care" if failed and right else "No" if failed else
                          "Yes" if right else "Not known")
    assert right == 0 or re.search(rf"right: {right}\b", page["Counts"])
    assert spoilt == 0 or f"The counters of {spoilt} rows failed" in page["Counts"]
    measured = {cpu["cpu"] for cpu in run["cpus"]}
    if silent_of(rows):
        assert page["CPUs"].startswith("No. ")
    else:
        assert f"CPUs measured: {len(measured)} of {run['machine']['cpus_found']}." in page["CPUs"]
    bad = {cpu["cpu"] for cpu in run["cpus"] if cpu.get("counter_test", {}).get("failed")}
    assert bool(bad) == ("failed its test" in page["Counters"])
    faults = [group for package in run["packages"] for group in package["groups"]
              if group["test"] not in ("right",) and not group["test"].startswith("not tested")]
    assert bool(faults) == page["Uncore"].startswith("No. In package")
    assert bool(run["errors"]) == ("Errors" in page)


EMULATED = "No. The CPUs are emulated: cycles follow a formula."
RIGHT = "Yes. PMU version {}: {} general counters and {} fixed ones passed their test on {}."
ALONE = RIGHT.format(4, 4, 3, "CPU 0")
# Name -> the machine, and {topic of check.txt: the sentence under this topic}.
MACHINES = {
    "healthy": ({"cpus": 2, "more": cpus.UNCORE_DEVICES}, {
        "CPUs": "Yes. CPUs measured: 2 of 2.", "Time": EMULATED,
        "Counters": RIGHT.format(4, 4, 3, "every CPU"),
        "Uncore": "Yes. These passed their test: clock, cha, imc."}),
    "no PMU": ({"cpu": "Skylake-Client", "props": "pmu-version=0"}, {
        "Counters": "No. Nothing is counted on CPU 0: CPUID.0AH reports no performance monitor "
                    "(version 0).",
        }),
    "Zen 4": ({"cpu": "EPYC-Genoa"}, {
        "Counters": "Yes. PerfMonV2: 6 counters passed their test on CPU 0."}),
    "Zen 2": ({"cpu": "EPYC-Rome", "cpus": 2}, {
        "Counters": "Yes. Without PerfMonV2: 6 counters passed their test on every CPU."}),
    "Hygon": ({"cpu": "Dhyana"}, {
        "Counters": "Yes. Without PerfMonV2: 6 counters passed their test on CPU 0."}),
    "an old AMD": ({"cpu": "Opteron_G3"}, {
        "Counters": "No. Nothing is counted on CPU 0: counting is not supported on CPUs of this "
                    "vendor and family.",
        "Counts": "Not known. No event was counted.",
        "Uncore": "No. Nothing is counted: the uncore counters of this CPU model are not known."}),
    "one bad counter": ({"cpus": 2, "props": "pmu-stuck=1,pmu-lie-cpu=1"}, {
        "Counters": "No. On CPU 1, pmc1 failed its test: it counts nothing."}),
    "nothing counts": ({"props": "pmu-mute=on"}, {
        "Counters": "No. On CPU 0, fixed0 failed its test: it counts nothing; summary.txt has the "
                    "other counters that failed."}),
    "a register missing": ({"props": "pmu-gp-msr=0x38f"}, {
        "Counters": "No. Nothing is counted on CPU 0: a performance-monitor register raised #GP.",
        "Counts": "Not known. No event with a known count was counted."}),
    "counters missing": ({"props": "pmu-promised=2"}, {
        "Counters": "With care. CPUID promises registers that do not exist on CPU 0; they are not "
                    "used."}),
    "in use": ({"props": "pmu-left-running=on"}, {
        "Counters": "With care. Counters of CPU 0 were in use before the run, perhaps by the "
                    "firmware or a BMC."}),
    "off by one": ({"props": "pmu-off-by-one=2"}, {
        "Counters": "No. On CPU 0, pmc2 failed its test: the empty window counted 7, not 6."}),
    "wrong ring": ({"props": "pmu-wrong-ring=0"}, {
        "Counters": "No. On CPU 0, pmc0 failed its test: it counts the wrong ring: CPL 0 when set "
                    "to CPL 3."}),
    "no carry": ({"props": "pmu-wrap=3"}, {
        "Counters": "No. On CPU 0, pmc3 failed its test: carries are lost above bit 9."}),
    "noisy": ({"props": "pmu-noisy=2"}, {
        "Counters": "No. On CPU 0, pmc2 failed its test: the empty window counted 6 to 9."}),
    "late": ({"props": "pmu-late=32"}, {
        "Counters": "No. On CPU 0, fixed0 failed its test: the empty window counted 9, not 6."}),
    "not emulated": ({"props": "hypervisor=off"}, {
        "Time": "With care. The time stamp's rate changes with the CPU's clock."}),
    "hot": ({"props": "pmu-hot=on,hypervisor=off"}, {
        "Time": re.compile(r"With care\. \d+ rows of time or cycles are noisy: heat, clock "
                           r"limit\.")}),
    "at the power limit": ({"props": "pmu-dither-us=100,hypervisor=off"}, {
        "Time": re.compile(r"With care\. \d+ rows of time or cycles are noisy: .*power limit.*")}),
    "a CPU that hangs": ({"cpus": 2, "props": "pmu-hang-cpu=1"}, {
        "CPUs": "No. CPU 1 did not answer: believe nothing that was counted there.",
        "Counters": RIGHT.format(4, 4, 3, "CPU 0")}),
    "a CPU that hangs in a kernel": ({"cpus": 2, "props": "pmu-hang-cpu=1,pmu-hang-open=800"}, {
        "CPUs": "No. CPU 1 did not answer: believe nothing that was counted there."}),
    "a CPU that ignores its first start": ({"cpus": 2, "props": "pmu-deaf-cpu=1"}, {
        "CPUs": "Yes. CPUs measured: 2 of 2."}),
    "a base ratio": ({"props": "pmu-mperf-slow=3623", "icount": 3}, {"Counters": ALONE}),
    "a late REF_TSC": ({"props": "pmu-late-ref=500", "icount": 3}, {"Counters": ALONE}),
    "a slow bus clock": ({"props": "pmu-bus-slow=2500,pmu-base-ratio=10", "icount": 3}, {
        "Counters": ALONE}),
    "a crystal": ({"cpu": "Skylake-Client", "props": "pmu-crystal=on", "icount": 3}, {
        "Counters": ALONE}),
    "Nehalem's errata": ({"cpu": "Nehalem", "props": "pmu-count-cycles=on"}, {
        "Counters": RIGHT.format(3, 4, 3, "CPU 0")}),
    "a virtual machine": ({"props": "pmu-hypervisor=KVMKVMKVM,pmu-rules=off"}, {
        "Time": "With care. This is a virtual machine, which its host can pause."}),
    "a bad uncore": ({"props": "pmu-uncore=stuck", "more": cpus.UNCORE_DEVICES}, {
        "Uncore": "No. In package 0, cha0 of unit 0: a counter counts nothing although it "
                  "should count each cycle."}),
    **{cpu: ({"cpu": cpu}, {"Counters": RIGHT.format(*pmu, "CPU 0")}) for cpu, pmu in (
        ("Nehalem", (3, 4, 3)), ("Haswell", (3, 4, 3)), ("Skylake-Client", (4, 4, 3)),
        ("Icelake-Server", (5, 8, 4)))},
}
EVERY_DAY = ("Zen 4", "one bad counter")


def test_the_sample_in_the_page(boot):
    """Each line of docs/first-boot.md's sample is on the console."""
    plan = FILE.read_text("ascii").replace("at_end=menu", "at_end=shutdown")
    left = boot(plan=plan, cpus=4, more=cpus.UNCORE_DEVICES)
    sample, = documents.blocks(TOP / "docs/first-boot.md", "text")
    lines = left.console.splitlines()
    assert [line for line in sample.text.splitlines() if line not in lines] == []


def test_a_key_of_the_menu_checks_the_machine(boot):
    left = boot(plan=plan_text(kernels="nops", at_end="menu"), cpus=1, new_runs=2, keys=(
        (r"P choose a plan  C check  F frames", "c"),
        (r"What can be believed[\s\S]*R run again", "s")))
    assert left.results.run["plan"]["file"].lower().endswith(r"plans\check.cfg")
    assert left.console.count("What can be believed on this machine") == 1
    page_of(left, left.results)


@in_full("the menu of a stick without the plan")
def test_without_the_plan_there_is_no_key(boot, tmp_path):
    stick = sticks.Stick.copy_of(IMAGE, tmp_path / "stick.img")
    stick.remove("barecount/plans/check.cfg")
    left = boot(plan=plan_text(kernels="nops", at_end="menu"), cpus=1, stick=stick,
                keys=(("P choose a plan  F frames", "c"), ("Shuts down in 2[0-9] s", "s")))
    assert "C check" not in left.console and "What can be believed" not in left.console


def fits(words, expected):
    return expected.fullmatch(words) if isinstance(expected, re.Pattern) else words == expected


@pytest.mark.parametrize("name", thinned(
    list(MACHINES), [list(MACHINES).index(name) for name in EVERY_DAY], "machines to check"))
def test_what_can_be_believed(boot, name):
    spec, expected = MACHINES[name]
    left = boot(plan=PLAN, **{"cpus": 1, **spec})
    page = page_of(left, left.results)
    assert not {topic: page.get(topic) for topic, words in expected.items()
                if not fits(page.get(topic, ""), words)}
    check_against_rows(left.results, page)


# With four CPUs: a lie of the firmware -> check.txt's sentence about the CPUs.
OF_FIRMWARE = {
    "cpu_disabled=2": "With care. CPUs measured: 3 of 4.",
    "cpu_dead=2": "No. CPU 1 did not answer: believe nothing that was counted there.",
    "cpu_dead=12": "No. CPUs 2-3 did not answer: believe nothing that was counted there.",
}


@in_full("firmware that lies about CPUs")
def test_cpus_that_are_lost(boot, tmp_path):
    left, starts = liars.told(boot, tmp_path, list(OF_FIRMWARE), cpus=4,
                              plan=PLAN.replace("shutdown", "leave"))
    assert left.console.count("docs/first-boot.md") == len(starts)
    for start in starts:
        page = page_of(left, start.found)
        assert page["CPUs"] == OF_FIRMWARE[start.lies]
        check_against_rows(start.found, page)


def replayed(found, plan):
    """What the program's code finds in machine.txt: {what: [(CPU, value, ...), ...]}."""
    (found.folder / "plan.cfg").write_text(plan, "ascii")
    lines = subprocess.run([TOP / "build/replay", found.folder / "machine.txt",
                            TOP / "build/events", found.folder / "plan.cfg"], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    told = {}
    for cpu, what, *values in (line.split(" ") for line in lines):
        told.setdefault(what, []).append((int(cpu), *values))
    return told


def check_replayed(found, plan):
    told, run = replayed(found, plan), found.run
    assert told["unknown"] == [(run["cpus"][0]["cpu"], "0", "0")]
    assert [values[:-1] for values in told["topology"]] == [
        (cpu["cpu"], *(str(cpu[key]) for key in ("apic_id", "package", "core", "thread",
                                                 "siblings"))) for cpu in run["cpus"]]
    assert [(cpu, version, int(general, 16).bit_count(), *others)
            for cpu, version, general, *others in told["pmu"]] == [
        (cpu["cpu"], str(cpu["pmu"]["version"]), cpu["pmu"]["general_counters"],
         *(str(cpu["pmu"][key]) for key in ("general_width_bits", "fixed_counters",
                                            "fixed_width_bits"))) for cpu in run["cpus"]]
    nodes = {buffer["cpu"]: buffer.get("node", -1) for buffer in run["buffers"]}
    assert {cpu: int(values[-1]) for cpu, *values in told["topology"] if cpu in nodes} == nodes
    assert told.get("event", []) == [
        (cpu["cpu"], "plan.cfg", str(number), slot["counter"], slot["event"]) for cpu in run["cpus"]
        for number, one in enumerate(cpu["passes"]) for slot in one]
    assert [(cpu, kind, units, " ".join(status)) for cpu, kind, units, *status in
            told.get("uncore", [])] == [
        (package["cpu"], group["kind"], str(group["units"]), group["status"])
        for package in run["packages"] for group in package["groups"]]


PACKAGES = ("-numa", "node,nodeid=0,cpus=0-1,memdev=m0", "-numa",
            "node,nodeid=1,cpus=2-3,memdev=m1", "-object", "memory-backend-ram,id=m0,size=512M",
            "-object", "memory-backend-ram,id=m1,size=512M")
REPLAYED = {
    "a server of two packages": {"cpus": "4,sockets=2,cores=1,threads=2",
                                 "more": (*cpus.UNCORE_DEVICES, *PACKAGES)},
    "a client": {"cpu": "Haswell", "cpus": "2,cores=1,threads=2"},
    "Nehalem": {"cpu": "Nehalem", "cpus": 1},
    "AMD": {"cpu": "EPYC", "cpus": 2},
    "without a PMU": {"cpus": 2, "props": "pmu-version=0"},
    "a register missing": {"cpus": 1, "props": "pmu-gp-msr=0x187"},
    "a hybrid": {"cpu": "Icelake-Server", "cpus": "1,maxcpus=2,cores=2",
                 "props": "pmu-core-type=0x40", "more": (
                     "-device", "Icelake-Server-x86_64-cpu,pmu=on,pmu-core-type=0x20,socket-id=0,"
                     "die-id=0,core-id=1,thread-id=0,model=106")},
}


@pytest.mark.parametrize("name", thinned(list(REPLAYED), (2,), "machine files"))
def test_a_machine_file_takes_the_machines_place(boot, name):
    left = boot(plan=PLAN, **REPLAYED[name])
    text = (left.results.folder / "machine.txt").read_text("ascii")
    found = machine_file.read(text)
    assert found.wrong == [] and machine_file.serials(text, found) == []
    check_replayed(left.results, PLAN)


UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
MAC = "52:54:00:fa:ce:0d"
KEY = "QK7X2-PL4NT-3DK3Y-0FMSD-M4CPI"  # like a Windows licence key in the ACPI table MSDM
PLANTED = [f"PLANTED-{what}" for what in (
    "system", "board", "board-asset", "chassis", "chassis-asset", "cpu", "cpu-asset", "dimm",
    "dimm-asset", "disk", "oem")]


def test_nothing_names_a_machine(boot, tmp_path):
    """SMBIOS, ACPI and the devices contain serial numbers, and no file that a user sends may
    contain them.
    """
    system, board, board_asset, chassis, chassis_asset, cpu, cpu_asset, dimm, dimm_asset, disk, \
        oem = PLANTED
    (tmp_path / "msdm").write_bytes(KEY.encode())
    (tmp_path / "disk").write_bytes(bytes(1 << 20))
    more = ("-uuid", UUID, "-smbios", f"type=1,serial={system},sku={system}-2", "-smbios",
            f"type=2,serial={board},asset={board_asset}", "-smbios",
            f"type=3,serial={chassis},asset={chassis_asset},sku={chassis}-2", "-smbios",
            f"type=4,serial={cpu},asset={cpu_asset}", "-smbios", f"type=11,value={oem}", "-smbios",
            f"type=17,serial={dimm},asset={dimm_asset}", "-acpitable",
            f"sig=MSDM,data={tmp_path / 'msdm'}", "-device", f"e1000e,mac={MAC}", "-drive",
            f"if=none,id=other,format=raw,file={tmp_path / 'disk'}", "-device",
            f"nvme,drive=other,serial={disk}")
    left = boot(plan=PLAN, cpus=1, more=more, cold=True)
    folder = left.results.folder
    assert left.results.run["machine"]["uuid"] == UUID
    report = tmp_path / "report.html"
    subprocess.run([TOP / "scripts/report", folder, "-o", report], check=True, capture_output=True)
    words = [*PLANTED, UUID, UUID.replace("-", ""), MAC, MAC.replace(":", ""), KEY]
    words += [word.encode().hex() for word in (*PLANTED, KEY)]
    words.append("10b8a76bad9dd11180b400c04fd430c8")  # the UUID's bytes in SMBIOS
    for path in (folder / "machine.txt", folder / "check.txt", folder / "summary.txt",
                 folder / "summary.html", report):
        text = path.read_text("utf-8").lower()
        assert [word for word in words if word.lower() in text] == [], path.name
    assert "acpi MSDM" in (folder / "machine.txt").read_text("ascii")
