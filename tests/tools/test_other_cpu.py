# SPDX-License-Identifier: BSD-2-Clause
"""`--for CPU` of barecount-linux: plans, events and kernels for another machine."""
import re
import subprocess
import tarfile

import documents
from events import cpu_sets
from events import libpfm4
from kernel_code import TOP
from kernel_file import kernels
import pytest

PROGRAM = TOP / "build/barecount-linux"
DOCS_PLAN = "scripts/plans/misses.cfg"
PASS, FAIL, USAGE, INCOMPLETE, ERROR, PLAN_ERRORS = range(6)
BOUND_S = 600
# Tables for both core types of model 97H; each table contains an event that the other table lacks.
INDEX = "barecount-index,1\np.csv,GenuineIntel,6,97,,core\ne.csv,GenuineIntel,6,97,,atom\n"
TABLE = "barecount-events,1,made from a test\nname,select,counters,fixed,flags,msr,value," \
        "description,unit\nBOTH.HAVE,10e,,,,,,,\n{}.ONLY,20e,,,,,,,\n"


@pytest.fixture(scope="session", autouse=True)
def program():
    subprocess.run(["make", "-s", "linux", "events"], cwd=TOP, check=True)


def run(*words, cwd=None):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=cwd,
                          timeout=BOUND_S, stdin=subprocess.DEVNULL, check=False)


def flat(done):
    return " ".join(done.stdout.split())


@pytest.fixture
def check(tmp_path):
    """check(cpu, text of a plan, ...) returns the finished process of --check-plan."""
    def check_text(cpu, text, *words):
        (tmp_path / "plan.cfg").write_text(f"version=1\n{text}\n", "utf-8")
        return run("--check-plan", "--plan", "plan.cfg", "--for", cpu, *words, cwd=tmp_path)
    return check_text


@pytest.fixture
def hybrid(tmp_path):
    folder = tmp_path / "events"
    folder.mkdir()
    (folder / "index.csv").write_text(INDEX)
    for core in "pe":
        (folder / f"{core}.csv").write_text(TABLE.format(core.upper()))
    return folder


def test_a_plan(check):
    done = check("haswell", "[run]\nruns=7\nkernels=nops,lat_vpaddd_zmm")
    assert done.returncode == PASS and done.stdout.endswith("The plan has no errors.\n")
    assert done.stdout.startswith(
        "For Intel family 6 model 60 (hsw, haswell):\n")
    for part in ("PMU       version 3: 4 counters of 48 bits, 3 fixed ones of 48 bits\n",
                 "          8 counters on a core that has one thread\n", "Events    haswell.csv\n",
                 "plan.cfg: kernels: 2, runs: 7, passes: 2\n",  # seven events on four counters
                 "fixed0  INST_RETIRED.ANY ", "\n! 0, 3: erratum HSD140, HSD143\n",
                 "\nNot known: how many CPUs there are"):
        assert part in done.stdout, done.stdout
    assert "Kernels cannot run there: 1; no such CPU has avx512f: lat_vpaddd_zmm " in flat(done)
    assert not re.search(r"^(Machine|Linux|TSC|Time|CPU) ", done.stdout, re.M)
    assert not done.stderr and max(map(len, done.stdout.splitlines())) <= 79


def test_as_in_the_docs():
    page = TOP / "docs/events.md"
    command, = re.findall(r"^build/barecount-linux (--check-plan .*--for haswell)$",
                          page.read_text("utf-8"), re.M)
    answer, = [block.text for block in documents.blocks(page, "text")]
    assert DOCS_PLAN in command
    assert run(*command.split(), cwd=TOP).stdout == answer


@pytest.mark.parametrize("cpu, version, counters", [
    ("spr", 5, 8), ("skx", 4, 4), ("nhm", 3, 4), ("penryn", 2, 2)])
def test_passes(check, cpu, version, counters):
    """Eight events need 8 / N passes if each of N counters can count any of them."""
    events = "\n".join(f"r{unit_mask:02x}d1" for unit_mask in range(1, 9))
    done = check(cpu, f"[events e]\n{events}")
    assert f"PMU       version {version}: {counters} counters of" in done.stdout
    assert f", passes: {8 // counters}\n" in done.stdout and done.returncode == PASS


def test_errors(check):
    done = check("spr", "[run]\nbogus=1\nkernels=nopz\n[events e]\nMEM_INST_RETIRED.ALL_LOADZ")
    assert done.returncode == PLAN_ERRORS
    for line, part in ((3, "unknown key 'bogus'"), (4, "no kernel or family 'nopz'"),
                       (4, "kernels: none of its names can be used; kernels=default is run"),
                       (6, "MEM_INST_RETIRED.ALL_LOADZ: .*nearest: MEM_INST_RETIRED.ALL_LOADS")):
        assert re.search(rf"! plan.cfg:{line}: [^!]*{part}", flat(done)), done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 79
    assert done.stdout.endswith("! plan errors: 4; the rest of the plan applies\n")
    done = check("core2", "[run]\nstrict=yes\n[events e]\nMEM_INST_RETIRED.ALL_LOADS")
    assert done.returncode == PLAN_ERRORS and "strict=yes: nothing is measured" in done.stdout


def test_both_core_types(check, hybrid):
    """An event that is in neither table causes one error, not one for each core type."""
    text = "[run]\nkernels=nops\n{}\n[events e]\nBOTH.HAVE\nP.ONLY\nNOBODY.HAS"
    done = check("alderlake", text.format("cpus=all"), "--events", hybrid)
    core, atom = done.stdout.split("For Intel ")[1:]
    assert "core type core" in core and "core type atom" in atom
    assert "Events    p.csv\n" in core and "Events    e.csv\n" in atom
    assert "BOTH.HAVE " in core and "BOTH.HAVE " in atom
    assert "! plan.cfg:7: not on atom: P.ONLY: no event" in atom and "not on core" not in atom
    assert done.stdout.count("! plan.cfg:8: NOBODY.HAS: no event") == 1
    assert "! plan errors: 1;" in atom and done.returncode == PLAN_ERRORS
    done = check("alderlake", text.format("strict=yes").replace("NOBODY.HAS", "E.ONLY"),
                 "--events", hybrid)
    assert "plan.cfg:8: not on core: E.ONLY: " in done.stdout
    assert "plan.cfg:7: not on atom: P.ONLY: " in done.stdout
    assert done.returncode == PASS and done.stdout.endswith("The plan has no errors.\n")
    done = check("6/0x97", text.format("cpus=performance"), "--events", hybrid)
    assert "core type atom" not in done.stdout and "! plan errors: 1;" in done.stdout
    done = check("adl-grt", text.format("cpus=all"), "--events", hybrid)
    assert "core type core" not in done.stdout and "! plan errors: 2;" in done.stdout


def test_deltas_at_cpl_3(check):
    """The image refuses method=deltas with cpl=3; only barecount-linux can run it."""
    done = check("spr", "[run]\nmethod=deltas\ncpl=3")
    assert done.returncode == PLAN_ERRORS
    assert "! plan.cfg:4: method=deltas runs kernels at CPL 0; expected" in done.stdout


def test_no_memory(tmp_path):
    """The program reports success only if its output is complete."""
    (tmp_path / "plan.cfg").write_text("version=1\n", "utf-8")
    words = [PROGRAM, "--check-plan", "--plan", tmp_path / "plan.cfg", "--for", "spr"]
    said = set()
    for kib in range(2048, 16384, 128):  # limits at which an allocation fails span 256 KiB
        done = subprocess.run(["prlimit", f"--as={kib << 10}", *words], capture_output=True,
                              text=True, timeout=BOUND_S, check=False)
        assert (done.returncode == PASS) == done.stdout.endswith("The plan has no errors.\n"), kib
        said.add(done.stderr)
    assert "barecount-linux: there is no memory for the plan's events\n" in said and "" in said


def test_cpus_of_no_such_kind(check):
    done = check("spr", "[run]\ncpus=efficiency")
    assert done.returncode == PLAN_ERRORS
    assert "\n! plan.cfg:3: cpus: the CPU of --for has no core of this kind\n" in "\n" + done.stdout


def test_amd(check):
    done = check("zen3", "[run]\nkernels=nops")
    assert "PMU       without PerfMonV2: 6 counters of 48 bits\n" in done.stdout
    assert re.search(r"^ +9 pmc0/8 +DATA_CACHE_FILLS_FROM_SYSTEM +event 44H, unit mask 5FH",
                     done.stdout, re.M)
    said = done.stdout
    done = check("hygon", "[run]\nkernels=nops")
    assert done.stdout.startswith("For Hygon family 24 model 1 (hygon, dhyana):\n")
    assert "Events    amd64_fam17h_zen1.csv\n" in done.stdout
    as_zen_3 = done.stdout.split("Plan ")[1]
    for zen, zen_3 in (("5BH", "5FH"), ("43H", "44H"), (": erratum 990\n", ": erratum 1292\n"),
                       ("is the best", "is the best; on bare metal, :prec_ret avoids this")):
        assert zen in as_zen_3
        as_zen_3 = as_zen_3.replace(zen, zen_3)
    assert said.split("Plan ")[1] == as_zen_3
    done = check("zen4", "[run]\nkernels=nops")
    assert "PMU       PerfMonV2: 6 counters of 48 bits\n" in done.stdout
    assert re.search(r"^ +9 pmc4/1 +DATA_CACHE_FILLS_FROM_SYSTEM +event 44H, unit mask DFH",
                     done.stdout, re.M)
    done = check("21/2", "[run]\nkernels=nops")
    assert done.returncode == PASS
    assert ("PMU       AMD: counting is not supported on CPUs of this vendor and family\n"
            in done.stdout)
    assert ("Counts    no core events: this family's counters are not supported;\n"
            "          the run ends in NOT MEASURED\n") in done.stdout
    done = check("25/0x21", "[events e]\npackage_energy_uJ")
    assert "package_energy_uJ  package: energy" in done.stdout
    for cpu, is_refused in (("zen2", True), ("zen5", False)):
        done = check(cpu, "[events e]\nRETIRED_INSTRUCTIONS:prec_ret")
        assert ("prec_ret: the CPU does not announce" in done.stdout) is is_refused


def test_outside_the_cores(check):
    text = "[events e]\nllc_misses\ndram_read_bytes\nuncore_clock"
    done = check("skylakex", text)
    assert re.search(r"^ +\d+ cha0/?\d* +llc_misses", done.stdout, re.M)
    assert re.search(r"^ +\d+ imc0/?\d* +dram_read_bytes", done.stdout, re.M)
    done = check("spr", text)
    assert re.search(r"^ +\d+ - +uncore_clock\n +unavailable: this CPU model has no such uncore",
                     done.stdout, re.M)
    assert done.returncode == PASS
    done = check("penryn", text)
    assert "llc_misses\n             unavailable: the uncore counters of this" in done.stdout


def test_features_that_nobody_knows(check):
    done = check("amd64_k8_revf", "[run]\nkernels=lat_vpaddd_zmm")
    assert "its features, and so the kernels that it can run, are not known\n" in done.stdout
    assert "cannot run" not in done.stdout


def test_list_kernels():
    names = [kernel.name for _, kernel in kernels((TOP / "build/kernels.bin").read_bytes())]
    done = run("--list-kernels", "--for", "haswell")
    lines = done.stdout.splitlines()
    assert re.search(r"haswell\): \d+ of them cannot run there; the others can, if", flat(done))
    for name in (name for name in names if name.endswith("_zmm")):
        at = next(i for i, line in enumerate(lines) if line.startswith(f"  {name} "))
        assert any(line.startswith("      cannot run: no such CPU has") and "avx512f" in line
                   for line in lines[at + 1:at + 3]), name
    done = run("--list-kernels", "lat_vpaddd", "--for", "sapphirerapids")
    assert "cannot run:" not in done.stdout
    assert flat(done).endswith("(spr, sapphirerapids): all of them can run there, if the "
                               "product and firmware have what they need")
    done = run("--list-kernels", "lat_vpaddd_zmm", "--for", "6/151")
    assert "      cannot run: no such CPU of type atom has avx512f\n" in done.stdout
    assert " of type core" not in done.stdout
    assert ": all of them can run there on at least one core type, if" in flat(done)
    done = run("--list-kernels", "lat_vpaddd_zmm", "--for", "haswell")
    assert done.stdout.endswith("haswell): none of them can run there\n")
    done = run("--list-kernels", "nosuchthing", "--for", "haswell")
    assert done.returncode == FAIL and "0 kernels" in done.stdout and "For " not in done.stdout


def test_list_events(hybrid):
    done = run("--list-events", "only", "--for", "alderlake", "--events", hybrid)
    core, atom = done.stdout.split("For Intel ")[1:]
    assert "P.ONLY " in core and core.endswith("names; table: p.csv\n")
    assert "E.ONLY " in atom and atom.endswith("names; table: e.csv\n") and "P.ONLY" not in atom
    done = run("--list-events", "nosuchthing", "--for", "spr")
    assert done.returncode == FAIL and "0 events with 'nosuchthing'" in done.stdout
    done = run("--list-events", "dram_", "--for", "6/0x9e")
    assert "dram_read_bytes                          imc_free_running" in done.stdout


def test_a_wrong_name_lists_the_names():
    done = run("--list-events", "--for", "nosuchcpu")
    sentence, *lines, _ = done.stderr.splitlines()
    names = " ".join(lines[1:]).split()
    assert done.returncode == USAGE and sentence.endswith("no CPU 'nosuchcpu' is known")
    assert lines[0] == "The names (case, blanks and dashes do not matter):"
    assert max(map(len, lines)) <= 79 and len(names) == len(set(names))
    rows = re.findall(r'^ +(?:INTEL|AMD)\w*\((?:0x\w+, )*"[^"]+", "([^"]+)"',
                      (TOP / "pmu/cpu/other.c").read_text(), re.M)
    steps = re.findall(r'_STEPS\(.*"[^"]+", "([^"]+)"', (TOP / "pmu/cpu/other.c").read_text())
    assert set(names) == set(" ".join(rows + steps).split())
    done = run("--list-events", "--for", "6/999")
    assert done.stderr.splitlines()[:-1] == [
        "barecount-linux: --for: expected a model from 0 to 255, found '999'"]


def test_no_table_is_for_the_cpu(tmp_path):
    """There is no table for family 1AH, model 50H, whose cores are later than Zen 5."""
    (tmp_path / "plan.cfg").write_text("version=1\n")
    said = run("--check-plan", "--plan", tmp_path / "plan.cfg", "--for", "26/80").stdout
    assert "Events    built in: there is no table for this CPU\n" in said


CORPUS = TOP / "tests/cpus/machines.tar.xz"
# A CPU that is in no list: family 19 is FH + 4 (CPUID.1:EAX[11:8] and [27:20]), model 1. Leaf 0AH
# reports version 5, 8 general counters of 48 bits, and 4 fixed counters of 48 bits.
DIAMOND_RAPIDS = """cpu 0
00000000 00000000 0000000a 756e6547 6c65746e 49656e69
00000001 00000000 00400f10 00000000 00000000 00000000

# The leaf after an empty line and a comment belongs to the CPU.
0000000a 00000000 07300805 00000000 0000000f 00000604
"""


@pytest.fixture
def dump(tmp_path):
    """dump(part of a name) writes a real machine's file and returns its path."""
    def unpacked(part):
        with tarfile.open(CORPUS) as corpus:
            name, = [name for name in corpus.getnames() if part in name]
            (tmp_path / "dump.txt").write_bytes(corpus.extractfile(name).read())
        return tmp_path / "dump.txt"
    return unpacked


def test_a_machine_file(check, dump):
    """CPUID.0AH:EAX gives version, number and width of counters (SDM vol. 2)."""
    path = dump("0050654_SkylakeX_CPUID2")
    leaf, = set(re.findall(r"^a 0 (\w+)", path.read_text(), re.M))
    version, count, width = (int(leaf, 16) >> shift & 0xFF for shift in (0, 8, 16))
    said = check(path, "[events mem]\nMEM_INST_RETIRED.ALL_LOADS").stdout
    assert said.startswith("For Intel family 6 model 85 stepping 4 (skx, skylakex, skylakeserver):")
    assert f"PMU       version {version}: {count} counters of {width} bits" in said
    assert "Events    skylakex.csv\n" in said and "event D0H, unit mask 81H" in said
    assert "on a core that has one thread" not in said


def test_a_machine_file_with_two_kinds_of_core(check, dump):
    said = check(dump("PantherLakeL_01"), "").stdout
    assert re.findall(r"^For .*core type (\w+)|^Events    (\S+)", said, re.M) == [
        ("core", ""), ("", "pantherlake_cougarcove.csv"),
        ("atom", ""), ("", "pantherlake_darkmont.csv")]
    said = check(dump("906A2_AlderLakeP_00"), "").stdout
    assert re.findall(r"core type (\w+ .adl_\w+)", said) == ["core (adl_glc", "atom (adl_grt"]


def test_nova_lake(check):
    """Both Intel and AMD use family 18.

    perfmon's files list general counters 0 to 7 for both core types of Nova Lake. The fixed
    counters are 0 to 3 on performance cores, and 0 to 2 and 4 to 6 on efficiency cores.
    """
    said = check("18/3", "").stdout
    found = re.findall(r"^For Intel family 18 model 3, core type (\w+) .novalake, nvl.:\n"
                       r"PMU       version 6: (\d+) counters of 48 bits, (\d+) fixed", said, re.M)
    assert found == [("core", "8", "4"), ("atom", "8", "6")]
    assert re.findall(r"^Events    (\S+)", said, re.M) == [
        "novalake_coyotecove.csv", "novalake_arcticwolf.csv"]
    assert check("novalake", "").stdout == said.replace("model 3", "model 1")
    assert "For AMD family 18" in check("amd64_fam12h_llano", "").stdout


def test_a_hybrid_without_efficiency_cores(check, dump):
    said = check(dump("0090672_AlderLake_02"), "").stdout
    assert re.findall("^For (.*)", said, re.M) == [
        "Intel family 6 model 151 stepping 2 (adl_glc, alderlake, adl):"]
    assert "Events    alderlake_goldencove.csv\n" in said


def test_a_machine_that_no_list_has(check, tmp_path):
    (tmp_path / "new.txt").write_text(DIAMOND_RAPIDS)
    done = check("new.txt", "[events some]\nINST_RETIRED.ANY\nMEM_INST_RETIRED.ALL_LOADS")
    assert "Kernels cannot run there: 1; no CPU there has avx2: avx_byte_mask" in flat(done)
    assert done.stdout.startswith("For Intel family 19 model 1 stepping 0:\nPMU       version 5: "
                                  "8 counters of 48 bits, 4 fixed ones of 48 bits\n"
                                  "Events    built in: there is no table for this CPU\n")
    assert "INST_RETIRED.ANY " in done.stdout and done.returncode == PLAN_ERRORS
    assert "MEM_INST_RETIRED.ALL_LOADS: no encoding of this event is known" in flat(done)
    kernels = run("--list-kernels", "avx_byte_mask", "--for", tmp_path / "new.txt").stdout
    assert "      cannot run: no CPU there has avx2\n" in kernels
    listed = run("--list-events", "--for", tmp_path / "new.txt")
    assert "BR_INST_RETIRED.ALL_BRANCHES" in listed.stdout and \
        listed.stdout.endswith(" events; table: none for this CPU\n")


@pytest.mark.parametrize("text, problem", [
    (None, "bad.txt: No such file or directory"),
    ("", "bad.txt: expected a machine.txt, which has CPUID leaves 0 and 1 in a section 'cpu N'"),
    ("msrs 0\n1 2\n", "bad.txt: expected a machine.txt"),
    ("cpu 0\n1 0 50654 0 0 0\n", "bad.txt: expected a machine.txt"),
    ("cpu 0\n0 0 a 1 2\n", "bad.txt:2: expected LEAF SUBLEAF EAX EBX ECX EDX, found '0 0 a 1 2'"),
    ("cpu 0\n0 0 a 1 2 3 4\n", "bad.txt:2: expected LEAF SUBLEAF"),
    ("cpu 0\n0 0 there\n", "bad.txt:2: expected LEAF SUBLEAF"),
    ("cpu 0\n0 0 a 1 2 3\n1 0 absent\ncpu 1\n1 0\n", "bad.txt:5: expected LEAF SUBLEAF"),
])
def test_a_bad_machine_file(check, tmp_path, text, problem):
    if text is not None:
        (tmp_path / "bad.txt").write_text(text)
    done = check("bad.txt", "")
    assert done.returncode == USAGE and f"barecount-linux: --for: {problem}" in done.stderr


def cpus_of(pmu, lines):
    return [cpus for name, cpus in lines if name == pmu]


def test_every_name_of_libpfm4():
    """--for NAME chooses a CPU that libpfm4-cpus.csv lists under NAME, and the CPU's table."""
    lines, _ = libpfm4.read_cpus(TOP / "scripts/libpfm4-cpus.csv")
    index = cpu_sets.read_index(TOP / "build/events/index.csv")
    for pmu in dict.fromkeys(name for name, _ in lines):
        said = run("--list-events", "nosuchthing", "--for", pmu).stdout
        family, model = map(int, re.search(r"family (\d+) model (\d+)", said).groups())
        stepping = re.search(r" stepping (\d+)-", said)
        cell = (family, model, int(stepping[1]) if stepping else 0)
        core_type = re.search(r"core type (\w+)", said)
        mine = [cpus for cpus in cpus_of(pmu, lines) if cell[0] == cpus.family and
                cell[1] in cpus.models and cell[2] in cpus.steppings]
        assert mine, pmu
        assert {cpus.core_type for cpus in mine} == {core_type[1] if core_type else ""}
        tables = [file for file, cpus in index
                  if cpu_sets.covers(cpus.cells(), (mine[0].vendor, *cell, mine[0].core_type))]
        expected = tables[0] if tables else "none for this CPU"
        assert said.endswith(f"table: {expected}\n"), (pmu, said)


@pytest.mark.parametrize("words, said", [
    (["--check-plan", "--for", "saphirerapids"],
     "--for: no CPU 'saphirerapids' is known; nearest: sapphirerapids"),
    (["--list-kernels", "--for", "6/250"], "--for: no CPU of family 6, model 250 is known"),
    (["--list-kernels", "--for", "6/x"], "--for: expected FAMILY/MODEL or .* found '6/x'"),
    (["--for", "spr"], "--for is for --check-plan, --list-events and --list-kernels"),
    (["--once", "nops", "--for", "spr"], "--for is for --check-plan"),
])
def test_errors_of_use(words, said):
    done = run(*words)
    assert done.returncode == USAGE and re.search(said, done.stderr) and not done.stdout
    done = run("--check-plan", "--for", "spr")
    assert done.returncode == USAGE and "--plan FILE names one" in done.stdout
