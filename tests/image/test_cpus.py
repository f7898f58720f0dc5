# SPDX-License-Identifier: BSD-2-Clause
"""The default plan on six CPU models and on hybrids."""
import collections
import re

import expect
from machine import cpus
from machine import program
from machine import qemu
import net_servers
import pytest
from conftest import TOP, plan_text
from levels import in_full, thinned
import results

CPUS = [
    ("Nehalem", expect.OF_SKYLAKE[:1], ("avx_byte_mask",)),
    ("SandyBridge", expect.OF_SKYLAKE[1:], ("avx_byte_mask",)),
    ("Haswell", expect.OF_SKYLAKE[1:], ()),
    ("Skylake-Client", (), ()),
    ("Skylake-Server", (), ()),
    ("Icelake-Server", (), ()),
]
PROPERTIES = TOP / "tests/machine/PROPERTIES.md"
QEMU_S = 30


def default_plan():
    return program.default_plan("shutdown").replace("\nruns=default", "\nruns=5")


def check(left, fixed):
    """Check that there is no error, and that all counters of each CPU were tested.

    fixed: the number of fixed counters of each CPU.
    """
    assert left.results.status == results.PASSED and left.verdict == "PASS"
    assert left.results.run["complete"] is True and left.results.run["errors"] == []
    for cpu, count in zip(left.results.run["cpus"], fixed, strict=True):
        assert int(cpu["pmu"]["fixed_counters"], 16) == (1 << count) - 1
        assert cpu["counter_test"]["failed"] == [] and cpu["counter_test"]["status"] == "ok"
        assert cpu["counter_test"]["counters"] == count + cpu["pmu"]["general_counters"]


@pytest.mark.parametrize("cpu, lost, skipped", thinned(
    CPUS, (0,), "CPU models of the model machine"))
def test_a_cpu(boot, cpu, lost, skipped):
    left = boot(cpu=cpu, cpus=1, plan=default_plan())
    found, pmu = left.results.run["cpus"][0], cpus.of_name(cpu).pmu
    assert (found["pmu"]["version"], found["pmu"]["general_counters"]) == pmu[:2]
    assert (found["family"], found["model"]) == (6, cpus.of_name(cpu).model)
    assert len(found["passes"]) == -(-(len(expect.GENERAL) - len(lost)) // pmu[1])
    expect.check_rows(left.results, 1, expect.default_counts(), lost=lost, skipped=skipped)
    check(left, pmu[2:])


def test_each_is_what_it_is_called():
    """Each CPU of family 6 has QEMU's model number, and the PMU of PROPERTIES.md.

    QEMU's model number of Icelake-Server is wrong, and a property corrects it.
    """
    pmus = {}
    for line in PROPERTIES.read_text("utf-8").splitlines():
        if found := re.match(r"\| (.*\)) \| (\d) \| (\d) \| (\d) \|", line):
            numbers = (int(word, 16) for word in re.findall(r"\b[0-9A-F]{2}\b", found[1]))
            pmus |= dict.fromkeys(numbers, tuple(map(int, found.groups()[1:])))
    wrong = []
    spec = qemu.Spec(disk=None, cpus=1, firmware="seabios", more=("-S",))
    with qemu.Machine(spec) as running:
        assert net_servers.wait_until(lambda: listens(running), QEMU_S)
        for cpu in cpus.CPUS:
            if cpu.family != 6:
                continue
            told = running.qmp("query-cpu-model-expansion", type="full", model={"name": cpu.name})
            assert told["model"]["props"]["family"] == 6
            if told["model"]["props"]["model"] != cpu.model:
                wrong.append((cpu.name, cpu.props))
            assert cpu.pmu == pmus[cpu.model], cpu.name
    assert wrong == [("Icelake-Server", "model=106")]


def listens(running):
    try:
        return running.qmp("query-status")
    except qemu.HostError:
        return False


@pytest.mark.parametrize("called, name", [
    ("skylake server", "Skylake-Server"), ("SKX", "Skylake-Server"), ("Skylake", "Skylake-Client"),
    ("Ice Lake", "Icelake-Server"), ("icelake-server-v4", "Icelake-Server-v4"),
    ("haswell-notsx", "Haswell-noTSX"), ("epyc", "EPYC"), ("zen 4", "EPYC-Genoa")])
def test_names_of_cpus(called, name):
    assert cpus.named(called, qemu.MODEL_QEMU) == name


@pytest.mark.parametrize("called, nearest", [
    ("Sapphire Rapids", "; nearest: Icelake-Server"), ("Coffee Lake", "; nearest: Skylake-Client"),
    ("skylake_srver", "; nearest: Skylake-Server"), ("Gainstown", "; nearest: Nehalem"),
    ("Opteron_G6", "; nearest: Opteron_G"),
    ("?", "")])
def test_a_name_that_is_none(called, nearest):
    with pytest.raises(cpus.Unknown) as caught:
        cpus.named(called, qemu.MODEL_QEMU)
    said = str(caught.value)
    assert said.startswith(f"CPU {called}: the machine has no CPU of this name{nearest}")
    assert ("nearest" in said) == bool(nearest)
    assert [line.split()[0] for line in said.splitlines()[1:-1]] == [cpu.name for cpu in cpus.CPUS]


@pytest.mark.parametrize("name, options, line", [
    ("Icelake-Server-v4", {}, "family 6, model 106; PMU version 5: 8 counters, 4 fixed ones"),
    ("Nehalem", {"has_pmu": False}, "family 6, model 26; no PMU"),
    ("Haswell", {"props": "pmu-gp=2"}, "family 6, model 60; PMU version 3: 4 counters, 3 fixed "
                                       "ones; changed by pmu-gp=2"),
    ("EPYC-Rome", {}, "family 23, model 49; without PerfMonV2: 6 counters"),
    ("EPYC-Genoa", {}, "family 25, model 17; PerfMonV2: 6 counters"),
    ("Opteron_G5", {}, "as in QEMU; tests/machine/PROPERTIES.md describes its PMU")])
def test_what_a_cpu_is(name, options, line):
    assert cpus.told(name, **options) == f"{name}: {line}"


HYBRID = {"cpu": "Icelake-Server", "props": "model=151,pmu-core-type=0x40",
          "cpus": "1,sockets=1,cores=2,threads=1,maxcpus=2",
          "more": ("-device", "Icelake-Server-x86_64-cpu,pmu=on,model=151,pmu-core-type=0x20,"
                   "socket-id=0,die-id=0,core-id=1,thread-id=0")}


def test_cpus_of_a_kind(boot):
    left = boot(plan=plan_text(cpus="efficiency", kernels="empty,nops", runs=2), **HYBRID)
    assert {(row["cpu"], row["core_type"]) for row in left.results.rows} == {("1", "atom")}
    assert left.results.run["errors"] == [] and left.verdict == "PASS"


def test_a_hybrid(boot):
    """A P-core and an E-core of Alder Lake.

    On the E-core, taken branches have another select, and loads and stores are counted only as
    uops. On both cores, event 3CH, unit mask 1, counts at the rate of fixed counter 2.
    """
    left = boot(plan=default_plan(), **HYBRID)
    cpus = left.results.run["cpus"]
    assert [cpu["core_type"] for cpu in cpus] == ["core", "atom"]
    assert [(cpu["pmu"]["version"], cpu["pmu"]["general_counters"]) for cpu in cpus] == [
        (5, 8), (5, 6)]
    lost = [r for r in left.results.rows if r["verdict"] == "unavailable"]
    assert {(r["cpu"], r["core_type"]) for r in lost} == {("1", "atom")}
    assert len(lost) == len(expect.kernels()) * len(expect.OF_SKYLAKE[1:])
    assert {r["event"] for r in lost} == set(expect.OF_SKYLAKE[1:])
    counts = expect.default_counts()
    for row in left.results.rows:
        count = expect.DECLARED.get(row["event"])
        if row not in lost and count in counts[row["kernel"]]:
            right = str(counts[row["kernel"]][count])
            assert [row["min"], row["max"], row["verdict"]] == [right, right, "exact"], row
    clocks = collections.defaultdict(dict)
    for row in left.results.rows:
        if row["event"] in (expect.REFERENCE, expect.CLOCKS[0x97]):
            counts = [row[word] for word in ("unit", "verdict", "min", "median", "max")]
            clocks[row["cpu"], row["kernel"]][row["event"]] = counts
    assert len(clocks) == 2 * len(expect.kernels())
    for by_event in clocks.values():
        assert by_event[expect.REFERENCE] == by_event[expect.CLOCKS[0x97]]
        assert by_event[expect.REFERENCE][0] == "reference cycles"
    check(left, (4, 3))


NEXT_HYBRID = {**HYBRID, "props": "model=198,pmu-core-type=0x40,pmu-native-model=3",
               "more": tuple(word.replace("model=151", "model=198,pmu-native-model=3")
                             for word in HYBRID["more"])}
ALIKE = {"rc0": 2000, "rc4": 1000, "r81d0": 0, "r82d0": 0, "r3c": None, "r13c": None, "rc5": None}
OF_LION_COVE = {"r100000011c4": 1000, "r100000001c4": 999, "r20c4": 999}
OF_NEITHER = {"r11c4": None}


def test_version_6(boot):
    """A Lion Cove and a Skymont.

    The Lion Cove counts ten events in one pass. Some of these events need UMASK2. The Skymont lacks
    fixed counter 3.
    """
    events = {**ALIKE, **OF_LION_COVE, **OF_NEITHER}
    left = boot(plan=plan_text(kernels="loop_dec_jnz", n=1000) +
                "\n".join(("[events branches]", *events)) + "\n", **NEXT_HYBRID)
    of_cores = ({**ALIKE, **OF_LION_COVE}, ALIKE)
    for cpu, counted in enumerate(of_cores):
        assert len(left.results.run["cpus"][cpu]["passes"]) == 1
        rows = {row["event"]: row for row in left.results.rows if row["cpu"] == str(cpu)}
        for event, count in events.items():
            assert (rows[event]["verdict"] == "unavailable") == (event not in counted), rows[event]
            if count is not None and event in counted:
                assert [rows[event]["min"], rows[event]["max"]] == [str(count)] * 2
    check_version_6(left.results.run["cpus"])
    assert left.verdict == "PASS"


@in_full("counters that do not exist")
def test_counters_with_holes(boot):
    """Only CPUID.23H shows that general counters 1, 3 and 6 and fixed counter 3 do not exist."""
    left = boot(plan=default_plan(), cpus=1, cpu="Skylake-Server", props="pmu-version=6,pmu-gp=10,"
                "pmu-absent=0x4a,pmu-fixed=7,pmu-fixed-absent=8")
    found = left.results.run["cpus"][0]
    general = {f"pmc{i}" for i in (0, 2, 4, 5, 7, 8, 9)}
    assert int(found["pmu"]["fixed_counters"], 16) == 0x77
    assert found["counter_test"]["failed"] == []
    assert {slot["counter"] for slots in found["passes"] for slot in slots} <= general | {
        "fixed0", "fixed1", "fixed2"}
    expect.check_rows(left.results, 1, expect.default_counts())
    assert left.verdict == "PASS"


def check_version_6(found):
    assert [(cpu["core_type"], cpu["pmu"]["version"], cpu["pmu"]["general_counters"],
             int(cpu["pmu"]["fixed_counters"], 16)) for cpu in found] == [
        ("core", 6, 10, 0xf), ("atom", 6, 8, 0x77)]
    assert [cpu["counter_test"]["counters"] for cpu in found] == [10 + 4, 8 + 6]
    assert [cpu["counter_test"]["failed"] for cpu in found] == [[], []]
