#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Feed randomly changed results to the scripts that read them.

The inputs are folders of results, and logs of serial lines that contain such folders (for
scripts/capture). A script must give an answer, or raise results.Unreadable with the folder's name.
A script must raise no other exception. If results.csv was only cut off, every row that a script
reads must be a row of the whole file. A changed number cannot be distinguished from a right one, so
the numbers are not checked. A file that is restored from a log without forged lines must be a file
of the folder, or the beginning of one, byte for byte.

Exit status: 0 no finding; 1 a finding; 2 wrong usage.
"""
import argparse
import contextlib
import io
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time
import traceback
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts/lib"), str(TOP / "tests"), str(TOP / "tests/tools")]
from compare import rows  # noqa: E402
from compare import machines  # noqa: E402
from compare import source as sources  # noqa: E402
from compare import text as compare_text  # noqa: E402
import folders  # noqa: E402
import old_runs  # noqa: E402
from query import db  # noqa: E402
from query import importing  # noqa: E402
import results  # noqa: E402
import script  # noqa: E402
import sendings  # noqa: E402
from report.folder import Folder  # noqa: E402

REPORT_EVERY = 12  # a report takes 100 times as long as the other readers
FILES = ("results.csv", "run.json", "samples.csv")
CAPTURE = script.load("capture")
SENT_BYTES = 9000  # of each file, because restoring a log of a thousand lines takes long
HEADS = (b"run 0001 0123456789abcdef 15", b"run 99999 ffffffffffffffff 99", b"end",
         b"x.y 0 00000000", b"results.csv 9999999 00000000", b"a/b 0 00000000", b".. 0 00000000",
         b"run.json", b"")
EDGES = ("", "0", "-1", "1.5", "1e9", "nan", "inf", "-0", "007", "0x10", "18446744073709551616",
         "9" * 400, "1.", ".5", "٣", "yes", "a,b", '"', "'", "\0", "\r", "\n", "ä", "<b>", ";=",
         "size=", "size=x", "size=-1", "exact", "off", "TSC", "msr:0x34", "both", "..", "5..4",
         "-5..9999999999999999999", "fixed9", "pmc", "none", "1" + "0" * 30 + ".001")
VALUES = (None, True, False, 0, -1, 1.5, 2**70, -2**63, 1e308, "", "x", "0x", "\ud800", "é\0", [],
          {}, [[]], [{}], [None], {"": None}, ["x"] * 3, {"x": []})


def mutate_bytes(draw, data):
    data = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(data) + 1)
        if (what := draw.randrange(4)) == 0:
            data[at:at + draw.randint(1, 60)] = b""
        elif what == 1:
            data[at:at] = draw.choice(EDGES).encode("utf-8")
        elif what == 2:
            data[at:at + 1] = bytes([draw.randrange(256)])
        else:
            data[at:at] = data[:draw.randint(0, 200)]
    return bytes(data)


def mutate_table(draw, data):
    lines = [line.split(",") for line in data.decode("ascii").split("\r\n")]
    for _ in range(draw.randint(1, 3)):
        line = draw.randrange(len(lines)) if draw.randrange(8) else 0
        if (what := draw.randrange(8)) == 0:
            del lines[line:line + draw.randint(1, 3)]
        elif what == 1:
            lines.insert(line, list(draw.choice(lines)))
        elif what == 2:
            lines[line] = lines[line][:draw.randint(0, len(lines[line]))]
        elif what == 3:
            lines[line] += draw.choices(EDGES, k=draw.randint(1, 3))
        else:
            at = draw.randrange(len(lines[line]) + 1)
            lines[line][at:at + draw.randint(0, 2)] = [draw.choice(EDGES)]
        lines = lines or [[""]]
    return "\r\n".join(map(",".join, lines)).encode("utf-8")


def change_field(draw, data):
    lines = data.decode("ascii").split("\r\n")
    for _ in range(draw.randint(1, 3)):
        line = draw.randrange(1, len(lines) - 1)
        fields = lines[line].split(",")
        fields[draw.randrange(len(fields))] = draw.choice(EDGES)
        lines[line] = ",".join(fields)
    return "\r\n".join(lines).encode("utf-8")


def mutate_json(draw, data):
    run = json.loads(data)
    for _ in range(draw.randint(1, 3)):
        at = run
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                break
            key = draw.choice(keys)
            if not isinstance(at[key], (dict, list)) or not at[key] or draw.randrange(4) == 0:
                if draw.randrange(4) == 0:
                    del at[key]
                else:
                    at[key] = draw.choice(VALUES)
                break
            at = at[key]
    return json.dumps(run).encode("ascii")


def cut(draw, data):
    return data[:draw.randrange(len(data))]


def mutate(draw, folder):
    """Change or delete one or two files. Returns True only if results.csv is unchanged, cut off or
    deleted.
    """
    only_cut = True
    for name in draw.sample(FILES, draw.choice((1, 1, 1, 2))):
        path = folder / name
        how = draw.choice((cut, mutate_bytes, mutate_json, mutate_json) if name == "run.json" else
                          (cut, mutate_bytes, mutate_table, change_field, change_field))
        only_cut &= name != "results.csv" or how is cut
        if draw.randrange(30) == 0:
            path.unlink()
        else:
            path.write_bytes(how(draw, path.read_bytes()))
    return only_cut


def read(folder, whole, only_cut):
    found = results.Results(folder)
    if only_cut and not all(row in whole.rows for row in found.rows):
        raise AssertionError("a file that was cut off gave an additional row")
    found.status, found.verdict_line, found.source  # pylint: disable=pointless-statement
    for _ in found.each_sample():
        pass


def compare_both(folder, other):
    for one, two in ((folder, other), (other, folder)):
        result = rows.compare(sources.folder(one), sources.folder(two),
                                 rows.Options(None, 0, 0))
        list(compare_text.text(result, True, True))
    list(machines.text(machines.compare(
        [sources.folder(path) for path in (other, folder)])))


def ask(folder, other):
    base = db.open_to_import(folder.parent / "db")
    with contextlib.closing(base):
        importer = importing.Import(base, True, None)
        importer.take(other)
        importer.take(folder)
        for name, text in db.names(base).items():
            if text.startswith("CREATE VIEW"):
                base.execute(f"SELECT * FROM {name}").fetchall()


def report(folder, other):
    with contextlib.suppress(results.Unreadable):
        from report import document  # imports matplotlib, which writes a cache
        page = document.make([Folder(other), Folder(folder)], Folder(folder), [])
        if "<script" in page or "<b>" in page:
            raise AssertionError("the text of a folder became markup")


def forged(draw, log):
    """Add forged lines with right checksums. Some claim to belong to a transmission in the log."""
    for _ in range(draw.randint(1, 6)):
        at = log.find(b"@BC", draw.randrange(len(log) + 1))
        sending = draw.choice((log[at + 3:at + 13] if at >= 0 else b"", b"2:00000000"))
        line = sendings.frame(sending, draw.choice((0, 0, 1, 2, 15)),
                              draw.choice((0, 1, 2, 3, 4, 500, 0xfffff)), draw.choice(HEADS))
        log = log[:max(at, 0)] + line + b"\r\n" + log[max(at, 0):]
    return log


def capture(folder, draw):
    files = {name: (folder / name).read_bytes()[:SENT_BYTES] for name in FILES
             if (folder / name).exists()}
    lines = sendings.sending_of(files, 1, "0123456789abcdef", draw.choice((1, 2)))
    out, logs = folder.parent / "captured", []
    truthful = draw.randrange(3) > 0
    for number in range(draw.randint(1, 2)):
        log, _ = sendings.log_of(draw, lines, draw.choice((0, 0.01, 0.1, 0.5)))
        log = log if draw.randrange(2) else mutate_bytes(draw, log)
        logs.append(folder.parent / f"log-{number}")
        logs[-1].write_bytes(log if truthful else forged(draw, log))
    with contextlib.redirect_stdout(io.StringIO()), \
            mock.patch.object(sys, "argv", ["capture", *map(str, logs), "-o", str(out)]):
        status = CAPTURE.main()
    assert status != results.HOST_ERROR, "a file that cannot be written"
    captured = [path for path in out.rglob("*") if path.is_file()]
    if not truthful:  # a forged file may be restored, but only into a run's folder
        assert all(path.parent.parent == out for path in captured), captured
        return
    for path in captured:
        content = path.read_bytes()
        assert path.name in files and content == files[path.name] or path.suffix == ".partial" \
            and content and files[path.stem].startswith(content), f"{path} is not what was sent"
    assert status != 0 or {path.name for path in captured} == files.keys(), "a file is missing"


def bases(work):
    yield folders.make(work / "one", cpus=2, samples=True)
    yield folders.make(work / "other", samples=True,
                       kernels=(*folders.KERNELS, folders.Kernel(
                           "chase", {"cycles": (0, 5)}, family="chase", param="size=4096",
                           buffer_bytes=4096)))
    kernels = [folders.Kernel("read_16", {"cycles": (0, 5), "lines_read": (0, 64),
                                          "lines_write": (9, 0), "energy": (7, 1)},
                              family="bandwidth", param=f"size={size}", buffer_bytes=size)
               for size in (65536, 1048576)]
    yield folders.make(
        work / "package", 2, kernels, (*folders.EVENTS, folders.DRAM_READ, folders.DRAM_WRITE,
                                       folders.ENERGY), samples=True,
        change_run=lambda run: run.update(packages=[folders.package_of(
            0, 0, ("imc", 2, 4, 48), ("energy", 1, 4, 32, "not tested"), left_running=1)]))
    for schema in old_runs.SCHEMAS:
        yield old_runs.unpack(schema, work / f"schema-{schema}") / "run"


def try_one(seed, work, base):
    draw = random.Random(seed)
    source, other = draw.choice(base), base[0]
    folder = work / "changed/0001"
    shutil.rmtree(folder.parent, ignore_errors=True)
    shutil.copytree(source, folder)
    only_cut = mutate(draw, folder)
    readers = [lambda: read(folder, results.Results(source), only_cut),
               lambda: compare_both(folder, other), lambda: ask(folder, other),
               lambda: capture(folder, draw)]
    if draw.randrange(REPORT_EVERY) == 0:
        readers.append(lambda: report(folder, other))
    for reader in readers:
        with contextlib.suppress(results.Unreadable):
            reader()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10, metavar="S",
                        help="try as many seeds as S seconds allow (default 10)")
    parser.add_argument("--runs", type=int, metavar="N",
                        help="try the seeds from 0 to N - 1 instead")
    parser.add_argument("--seed", type=int, metavar="N", help="try only this seed")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="the folder for findings")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    seed, runs = options.seed, 1
    if seed is None:
        seed, runs = (0, options.runs) if options.runs else (random.randrange(1 << 40), None)
    tried = 0
    with tempfile.TemporaryDirectory(prefix="barecount-fuzz-") as folder:
        work = pathlib.Path(folder)
        base = list(bases(work))
        while tried == 0 or (time.monotonic() < end if runs is None else tried < runs):
            try:
                try_one(seed, work, base)
            except Exception:
                traceback.print_exc()
                print(f"Assertion: seed {seed} is a finding\n"
                      f"Show it again: tests/fuzz/fuzz_results.py --seed {seed}")
                if options.keep:
                    shutil.copytree(work / "changed", options.keep / f"crash-{seed}",
                                    dirs_exist_ok=True)
                return 1
            tried += 1
            seed += 1
    print(f"stat::number_of_executed_units: {tried}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
