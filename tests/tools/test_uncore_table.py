# SPDX-License-Identifier: BSD-2-Clause
"""docs/uncore-models.md agrees with the program's tables."""
import pathlib
import re
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = TOP / "build/uncore_table"
DOCUMENT = TOP / "docs/uncore-models.md"


def printed():
    return subprocess.run([PROGRAM], check=True, capture_output=True, text=True).stdout


def test_the_document_is_as_the_tables_are():
    assert DOCUMENT.read_text() == printed(), "make uncore-table, and commit docs/uncore-models.md"


def rows(text):
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_each_row_has_its_source_and_each_table_its_columns():
    models, *others = printed().split("\n## ")[1:]
    assert all(len(row) == 4 and row[-1] for row in rows(models)) and len(rows(models)) > 10
    assert all(len(row) == 7 and row[-1] for part in others for row in rows(part))
    assert sum(len(rows(part)) for part in others) > 40


def test_each_model_leads_to_its_units():
    names = re.findall(r"^## (.*)$", printed(), re.M)
    links = re.findall(r"^\| \[(.*?)\]\(#(.*?)\)", printed(), re.M)
    assert [name for name, _ in links] == names[1:-2]
    assert all(link == re.sub(r"[^a-z0-9 -]", "", name.lower()).replace(" ", "-")
               for name, link in links)


def test_registers_are_those_of_the_manuals():
    """The expected entries were written by hand, at least one for each notation of a register's
    address.
    """
    text = printed()
    for register in ("MSR 3C0H + i | MSR 3B0H + i | filter MSR 396H | 15:0, 18:17, 31:23; EN 22",
                     "MSR 395H | MSR 394H |", "up to 4 × 2, 44 bits | MSR 700H + 10H u + i",
                     "MSR 706H + 10H u + i", "MSR 2000H + 8H u + i | MSR 2002H + 8H u + i",
                     "MSR 394H | MSR 395H |", "MSR 391H, bits 7:0, 32; overflow status: MSR 392H, "
                     "cleared by MSR 393H; freeze: bit 63; PMI to cores: bits 51:48 |",
                     "MSR 2FF0H, bit 29 |",
                     "PCI function + D8H + 4H i | PCI function + A0H + 8H i | PCI function + F4H",
                     "MSR E01H + 10H u + i | MSR E08H + 10H u + i | MSR E00H + 10H u; "
                     "filter MSR E05H + 10H u; filter MSR E06H + 10H u",
                     "| C001029BH | - | C001029AH | - | C0010299H, 2^-ESU J |",
                     "2^-ESU J, DRAM 2^-16 J",
                     "| `llc_misses` | family 6H, models 55H | `cha` | 34H/11H | 0: 20000H |",
                     "`dram_write_bytes` | all with this kind | `imc_free_running` | counter 1",
                     "| `dram_read_bytes` | family 6H, models 8FH, CFH | `imc` | 05H/CFH | - |",
                     "| `llc_lookups` | family 6H, models 8FH, CFH | `cha` | 34H/FFH, extended "
                     "1FFFH | - |",
                     "ADH, AEH, AFH | `imc` | 05H/CFH + 06H/CFH | - | UNC_M_CAS_COUNT_SCH0.RD + "
                     "UNC_M_CAS_COUNT_SCH1.RD |"):
        assert register in text, register


def test_every_model_is_named_once():
    models = re.findall(r"^\| [^|]* \| (?:Intel|AMD), family (\w+)H, models ([^|]*) \|",
                        printed(), re.M)
    numbers = [(family, model) for family, row in models for model in re.findall(r"\w\wH", row)]
    assert len(numbers) == len(set(numbers)) > 30
