# SPDX-License-Identifier: BSD-2-Clause
"""Run the program's code on data of 259 real machines, and on the machine files that users sent.

machines.tar.xz contains numbers from the public collection InstLatx64 (July 2026): CPUID leaves,
and MSRs if the collector read them. It contains no data from the model machine.
"""
import pathlib
import re
import subprocess

import pytest

import decoder
import replaying

TOP = pathlib.Path(__file__).resolve().parents[2]
COLLECTED = replaying.files_in(TOP / "tests/cpus/machines.tar.xz")
SENT = replaying.files_in(TOP / "tests/machines")
TABLE = TOP / "tests/cpus/machines.txt"
REPLAY = TOP / "scripts/replay"
INSTLAT = TOP / "tests/cpus/instlat.py"
FOUND = {}


def found_of(name):
    if name not in FOUND:
        FOUND[name] = replaying.compare((COLLECTED | SENT)[name])
    return FOUND[name]


@pytest.mark.parametrize("name", [*COLLECTED, *SENT])
def test_the_program_and_the_manuals_agree(name):
    assert found_of(name).differences == []


@pytest.mark.parametrize("name", SENT)
def test_a_file_that_barecount_wrote_lacks_nothing(name):
    found = found_of(name)
    assert found.told["unknown"][found.first] == [["0", "0"]]
    assert found.unknown == 0


DUMPS = {
    "sections": ("""
------[ CPUID Registers / Logical CPU #0 ]------
CPUID 00000000: 00000004-756E6547-6C65746E-49656E69 [GenuineIntel]
CPUID 00000004: FC004121-02C0003F-0000003F-00000000 [SL 00] [L1D: 48 KB]
CPUID 00000004: FC01C143-02C0003F-00000FFF-00000000 [SL 02]
------[ Logical CPU #1 ]------
CPUID 00000000: 00000004-756E6547-6C65746E-49656E69
CPUID 00000004: FC004121-0FC0003F-0000003F-00000000 [SL 00]
------[ MSR Registers / Logical CPU #1 ]------
MSR 0000001B: 0000-0001-FEE0-0900
MSR 00000049: < FAILED >
MSR 000000E7: 0000-0000-0000-0002 [S200]
MSR 000000E7: 0000-0000-0000-0003
""", """# NAME: InstLatx64; 2 logical CPUs
cpu 0
0 0 4 756e6547 6c65746e 49656e69
4 0 fc004121 2c0003f 3f 0
4 2 fc01c143 2c0003f fff 0
cpu 1
4 0 fc004121 fc0003f 3f 0
4 2 absent
msrs 1
1b 1fee00900
49 fault
e7 2
"""),
    "no sections": ("""
CPUID 00000000 :00000001-68747541-444D4163-69746E65
CPUID 0000000D  00000007-00000340-00000340-00000000
CPUID 0000000d  00000100-00000240-00000000-00000000
CPUID 00000000 :00000001-68747541-444D4163-69746E65
------[ MSR Registers ]------
MSR C0010015: 0000-0000-0800-0000
""", """# NAME: InstLatx64; 2 logical CPUs
cpu 0
0 0 1 68747541 444d4163 69746e65
d 0 7 340 340 0
d 1 100 240 0 0
cpu 1
d 0 absent
d 1 absent
msrs 0
c0010015 8000000
""")}


@pytest.mark.parametrize("kind", DUMPS)
def test_a_dump_of_the_collection_becomes_a_file_for_replay(kind, tmp_path):
    dump, expected = DUMPS[kind]
    (tmp_path / "clone/old").mkdir(parents=True)
    for name in ("NAME_CPUID.txt", "old/NAME_CPUID.txt"):
        (tmp_path / "clone" / name).write_text(dump, "ascii")
    (tmp_path / "clone/OTHER_CPUID.txt").write_text("no dump", "ascii")
    done = subprocess.run([INSTLAT, tmp_path / "clone", tmp_path / "out"], capture_output=True,
                          text=True, check=True, timeout=60)
    assert done.stderr == (f"{tmp_path}/clone/OTHER_CPUID.txt: left out, because it has no CPUID "
                           "leaves of CPU 0\n")
    made = {path.name: path.read_text("ascii") for path in (tmp_path / "out").iterdir()}
    assert made == dict.fromkeys(("NAME_CPUID.txt", "old_NAME_CPUID.txt"),
                                 expected.replace("NAME", "NAME_CPUID"))


def test_a_folder_without_dumps_is_refused(tmp_path):
    done = subprocess.run([INSTLAT, tmp_path, tmp_path / "out"], capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.returncode == 4 and "it has no *CPUID*.txt" in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_table_is_up_to_date():
    rows = [replaying.row(name, found_of(name)) for name in COLLECTED]
    assert replaying.as_text(rows) == TABLE.read_text("ascii"), (
        "scripts/replay tests/cpus/machines.tar.xz > tests/cpus/machines.txt")


def test_there_are_machines_of_each_age():
    have = {decoder.Cpu(found_of(name).file, found_of(name).first).intel6 for name in COLLECTED}
    missing = {core for core, models in replaying.cores.CORES.items()
               if not have & set(models)}
    assert missing == {"Knights Mill", "Palm Cove", "Redwood Cove", "Crestmont", "Darkmont",
                       "Raptor Cove", "Lion Cove + Skymont, Crestmont"}


# Each item: words of the reported difference, a pattern in the program's output, and the
# replacement for the text that matches the pattern.
LIES = (
    ("topology", r"^1 topology 1 0 0 1 1", "1 topology 1 0 1 0 1"),
    ("siblings", r"^(1 topology 1 0 0 1) 1", r"\1 0"),
    ("pmu", r"^0 pmu 5 0xff", "0 pmu 5 0x7f"),
    ("features", r"^(0 features .*) hwp", r"\1"),
    ("kernel_features", r"^(0 kernel_features .*) avx512f", r"\1"),
    ("caches", r"^0 caches L1d:48", "0 caches L1d:32"),
    ("type", r"^0 type -", "0 type core"),
    ("complex", r"^0 complex - -", "0 complex 0 -"),
    ("name", r"^0 name -", "0 name Zen"),
    ("clock", r"^0 clock 22", "0 clock 21"),
    ("table", r"^0 table sapphirerapids", "0 table skylakex"),
    ("errata", r"^0 type -", "0 erratum c0 general SKL091\n0 type -"),
    ("prefetch", r"^0 prefetch 1a4 (\w+) \w+", r"0 prefetch 1a4 \1 7"),
    ("counts two events", r"^(0 event default.cfg 0) \S+ CPU_CLK_UNHALTED.THREAD$",
     r"\1 fixed0 CPU_CLK_UNHALTED.THREAD"),
    ("does not exist", r"^(0 event default.cfg 0) fixed0", r"\1 fixed5"),
    ("although", r"^0 type -", "0 uncounted default.cfg INST_RETIRED.ANY why\n0 type -"),
    ("same package, core", r"^2 topology 2 0 1 0", "2 topology 2 0 0 0"),
    ("but the file has", r"^1 cpu .*\n", ""),
)
LIED_OF = "GenuineIntel00806F8_SapphireRapids_06_CPUID"


@pytest.mark.parametrize("what, pattern, wrong", LIES, ids=[lie[0] for lie in LIES])
def test_each_wrong_fact_is_a_difference(monkeypatch, what, pattern, wrong):
    path = COLLECTED[LIED_OF]
    true = subprocess.run([replaying.REPLAY, path, replaying.EVENTS,
                           TOP / "scripts/plans/default.cfg"], check=True, text=True,
                          capture_output=True).stdout
    false, count = re.subn(pattern, wrong, true, count=1, flags=re.M)
    assert count == 1 and false != true
    monkeypatch.setattr(replaying, "printed", lambda *_: false)
    assert any(what in difference for difference in replaying.compare(path).differences)


def test_a_complex_that_is_not_an_l3(monkeypatch):
    path = COLLECTED["AuthenticAMD0AA0F02_K19_Bergamo_04_CPUID"]
    true = replaying.printed(path, replaying.PLANS[:1])
    assert "\n16 complex 1 0\n" in true and "\n32 complex 2 1\n" in true
    monkeypatch.setattr(replaying, "printed",
                        lambda *_: true.replace("\n16 complex 1", "\n16 complex 0"))
    differences = replaying.compare(path).differences
    assert "the CPUs of a complex do not share one L3" in differences


def run(*arguments):
    return subprocess.run([REPLAY, *arguments], text=True, capture_output=True)


def test_a_folder_of_machines(tmp_path):
    text = SENT["model-skylake-server"].read_text("ascii")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/machine.txt").write_text(text, "ascii")
    (tmp_path / "other.txt").write_text(COLLECTED[LIED_OF].read_text("ascii"), "ascii")
    (tmp_path / "notes.txt").write_text("cpu 0 is hot\n", "ascii")
    done = run(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["machine", "mine", "other"]


def test_a_difference_is_told(tmp_path):
    name = "GenuineIntel00506E3_Skylake_02_CPUID"
    text = COLLECTED[name].read_text("ascii")
    assert re.match(r"# .* TSC 40[\d.]+ MHz", text)
    (tmp_path / "one.txt").write_text(re.sub(r"TSC 40[\d.]+ MHz", "TSC 3900.0 MHz", text), "ascii")
    done = run(tmp_path)
    assert done.returncode == 1
    assert done.stdout.endswith(
        "one: the time stamp has 4008000000 Hz, but the collector measured 3900.0 MHz\n")


def test_no_machines(tmp_path):
    assert "no file describes a machine" in run(tmp_path).stderr
    done = run(tmp_path / "none")
    assert done.returncode == 4 and "No such file" in done.stderr
