# SPDX-License-Identifier: BSD-2-Clause
"""The schema of run.json is valid and strict, and uses the same words as the program."""
import json
import re

import jsonschema
import pytest

import old_runs
import run_schema
from conftest import TOP

SCHEMA = json.loads(run_schema.SCHEMA.read_text("ascii"))
PARTS, FIELDS = SCHEMA["$defs"], SCHEMA["properties"]

# Changes to run.json, each with the beginning of its error message.
WRONG = [
    (lambda run: run.pop("noise"), "$: 'noise' is a required property"),
    (lambda run: run["cpus"][0].pop("brand"), "$.cpus[0]: 'brand' is a required property"),
    (lambda run: run["machine"].update(serial="7"), "$.machine: Additional properties are not "
     "allowed ('serial' was unexpected)"),
    (lambda run: run["kernels"][1].update(nodes=1), "$.kernels[1]: Additional properties"),
    (lambda run: run["cpus"][0].update(core_type="big"), "$.cpus[0].core_type: 'big' is not one"),
    (lambda run: run["noise_certificates"][0].update(status="OK"),
     "$.noise_certificates[0].status: 'OK' is not one of ['ok', "),
    (lambda run: run["cpus"][0].update(signature=0x50654),
     "$.cpus[0].signature: 329300 is not of type 'string'"),
    (lambda run: run["cpus"][0]["pmu"].update(perf_capabilities="3000"),
     "$.cpus[0].pmu.perf_capabilities: '3000' does not match"),
    (lambda run: run["kernels"][0].update(crc32="0x1"), "$.kernels[0].crc32: '0x1' does not match"),
    (lambda run: run["kernels"][0].update(loads=[1]), "$.kernels[0].loads: [1] is too short"),
    (lambda run: run["verdict"].update(off=-1), "$.verdict.off: -1 is less than the minimum of 0"),
    (lambda run: run["verdict"].update(line="FAILED"), "$.verdict.line: 'FAILED' does not match"),
    (lambda run: run.update(started="2026-11-25"), "$.started: '2026-11-25' does not match"),
    (lambda run: run.update(schema=6), "$.schema: 7 was expected"),
    (lambda run: run.update(linux={}), "$.linux: False schema does not allow {}"),
    (lambda run: run.update(source="linux"), "$: 'linux' is a required property"),
    (lambda run: run.update(source="linux"), "$.machine.uefi: False schema does not allow"),
    (lambda run: run["cpus"][0]["passes"][0][0].pop("control"),
     "$.cpus[0].passes[0][0]: 'control' is a required property"),
    (lambda run: run.update(complete=False), "$.elapsed_us: False schema does not allow"),
    (lambda run: run.pop("plan"), "$: 'plan' is a required property"),
    (lambda run: run["noise_certificates"][0].pop("gaps"), "$.noise_certificates[0]: 'gaps' is a "
     "required property"),
    (lambda run: run["cpus"][0].update(siblings=1), "$.cpus[0]: 'siblings_parked' is a required"),
]
# The words, the C file that must contain the same words, and a pattern that finds them there.
WORDS = {
    "status": (PARTS["status"]["enum"], "pmu/base/status.h", r'X\(STATUS_\w+, +"(.+)"\)'),
    "kind": (PARTS["kind"]["enum"], "pmu/uncore/uncore.h", r'X\(KIND_\w+, +"(\w+)"\)'),
    "kernel_feature": (PARTS["kernel_feature"]["enum"], "pmu/cpu/features.c",
                       r'^ {4}\{"(\w+)", 0x'),
    "tsc_source": (PARTS["tsc_source"]["enum"], "pmu/cpu/tsc.c", r'\[TSC_\w+\] = \{"(.+?)", '),
    "setting": (PARTS["setting"]["properties"]["setting"]["enum"], "pmu/plan/state_words.c",
                r'\[STATE_\w+\] = "(\w+)"'),
    "energy": (list(PARTS["package"]["properties"]["energy_step_uj"]["properties"]),
               "pmu/files/render_cpu.c", r'\[ENERGY_\w+\] = "(\w+)"'),
    "cost": (list(PARTS["cost"]["properties"]), "pmu/files/render_json.c",
             r'\[DECLARED_\w+\] = "(\w+)"'),
    "declared": (list(PARTS["kernel"]["properties"])[-5:], "pmu/files/render_json.c",
                 r'\[DECLARED_\w+\] = "(\w+)"'),
    "noise": (list(FIELDS["noise"]["properties"])[4:], "pmu/files/render_noise.c",
              r'\{"(\w+)", EVIDENCE_\w+\}'),
    "verdict": (list(FIELDS["verdict"]["properties"])[1:-2], "pmu/verdicts/rows.h",
                r'X\(VERDICT_\w+, +"(\w+)"\)'),
}


def rendered(which, folder):
    """The run.json that today's program renders for an older image; `which` is "run" or "cut"."""
    anew = old_runs.recovered(old_runs.unpack(old_runs.SCHEMAS[-1], folder) / which, folder)
    return (anew / "run.json").read_bytes()


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return rendered("run", tmp_path_factory.mktemp("run"))


@pytest.fixture
def run(text):
    return json.loads(text)


def objects(part):
    """All parts of the schema that describe an object, except conditions."""
    if isinstance(part, list):
        part = dict(enumerate(part))
    if isinstance(part, dict):
        if part.get("type") == "object":
            yield part
        for inner in part.values():
            yield from objects(inner)


def resolved(part):
    return {**PARTS[part["$ref"].rpartition("/")[2]], **part} if "$ref" in part else part


def check_order(value, part):
    part = resolved(part)
    if isinstance(value, dict):
        assert list(value) == [field for field in part["properties"] if field in value]
        for field, inner in value.items():
            check_order(inner, part["properties"][field])
    elif isinstance(value, list):
        for inner in value:
            check_order(inner, part["items"])


def test_it_is_a_schema_that_names_and_explains_every_field():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    found = list(objects(SCHEMA))
    assert len(found) > 20
    assert [part for part in found if part.get("additionalProperties") is not False] == []
    assert [field for part in found for field, what in part["properties"].items()
            if "description" not in resolved(what)] == []


def test_its_order_is_the_programs(run, tmp_path):
    for told in (run, json.loads(rendered("cut", tmp_path))):
        check_order(told, SCHEMA)


@pytest.mark.parametrize("seed, said", WRONG)
def test_what_the_program_does_not_write_is_refused(run, seed, said):
    seed(run)
    text = json.dumps(run).encode("ascii")
    assert [one for one in run_schema.misfits(text) if one.startswith(said)], \
        run_schema.misfits(text)


def test_what_fails_is_named(run, tmp_path):
    """An incomplete file is not checked."""
    run["cpus"][0]["package"] = "0"
    path = tmp_path / "0001/run.json"
    path.parent.mkdir()
    path.write_text(json.dumps(run, indent=1) + "\n", "ascii")
    with pytest.raises(AssertionError, match=re.escape(
            f"{path} is not as run.schema.json says:\n"
            "$.cpus[0].package: '0' is not of type 'integer'")):
        run_schema.hold_below(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    run_schema.hold_below(tmp_path)


@pytest.mark.parametrize("name", WORDS)
def test_its_words_are_those_of_the_tables(name):
    words, path, pattern = WORDS[name]
    table = re.findall(pattern, (TOP / path).read_text("ascii"), re.M)
    assert len(table) >= 3 and words == table
