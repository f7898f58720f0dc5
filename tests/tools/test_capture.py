# SPDX-License-Identifier: BSD-2-Clause
"""scripts/capture detects lost, repeated and damaged lines, and copies all other lines exactly."""
import random
import subprocess
import zlib

import pytest

from conftest import TOP

import frames
import sendings
from sendings import PIECE, frame, joined, log_of, pieces

RUN_ID = "0123456789abcdef"
FILES = {"results.csv": b"".join(b"%d,load,%x\r\n" % (i, zlib.crc32(b"%d" % i))
                                 for i in range(400)),
         "journal.bin": bytes(random.Random(1).randrange(256) for _ in range(3000)),
         "run.json": b'{\n "program": "barecount"\n}\n'}
JOURNAL_LINES = len(pieces(FILES["journal.bin"]))
LINES = len(pieces(FILES["results.csv"]))
VERSIONS = (1, 2)


def sending_of(files, number=1, run_id=RUN_ID, version=2):
    return sendings.sending_of(files, number, run_id, version)


def begin_of(name, lines):
    """The complete lines of a text file, if only its first `lines` frames arrived."""
    stream = b"".join(pieces(FILES[name])[:lines])
    content = zlib.decompressobj(wbits=-15).decompress(stream)
    return content[:content.rindex(b"\n") + 1]


def check(log, came, files, version=2):
    """Check that everything that arrived is exact, and that everything else is reported."""
    runs = log.runs()
    for run in runs:
        for entry in run.entries.values():
            number = 1 + list(files).index(entry.name)
            content = files[entry.name]
            held = pieces(content, version)
            assert entry.size == len(b"".join(held)) and entry.crc == zlib.crc32(content)
            missing = [line for line in range(len(held)) if (number, line) not in came]
            assert entry.missing == missing
            assert entry.content() == (None if missing else content)
            assert content.startswith(entry.begin())
    named = {entry.name for run in runs for entry in run.entries.values()}
    assert named == {name for at, name in enumerate(files, 1) if (0, at) in came}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("rate", (0, 0.002, 0.02, 0.1, 0.4, 0.8))
def test_damage_of_every_kind(rate, version):
    lines = sending_of(FILES, version=version)
    for seed in range(40):
        print(f"seed: {seed}")
        chance = random.Random(f"{rate} {seed}")
        raw, came = log_of(chance, lines, rate)
        log = frames.Log()
        log.add(raw)
        check(log, came, FILES, version)


def test_two_sendings_are_joined():
    lines = sending_of(FILES)
    whole = 0
    for seed in range(40):
        print(f"seed: {seed}")
        chance = random.Random(seed)
        log, came = frames.Log(), set()
        for _ in range(2):
            raw, through = log_of(chance, lines, 0.02)
            log.add(raw)
            came |= through
        check(log, came, FILES)
        whole += all((file, line) in came for file, line, _ in lines)
    assert whole > 0  # otherwise the test shows nothing


def capture(folder, *logs):
    """Returns scripts/capture's exit status and output for logs, which are given as bytes."""
    paths = []
    for number, log in enumerate(logs):
        paths.append(folder / f"log-{number}")
        paths[-1].write_bytes(log)
    done = subprocess.run([TOP / "scripts/capture", *paths, "-o", folder / "out"], timeout=60,
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def written(folder):
    return {path.relative_to(folder / "out").as_posix(): path.read_bytes()
            for path in (folder / "out").rglob("*") if path.is_file()}


@pytest.mark.parametrize("version", VERSIONS)
def test_whole_files_are_written(tmp_path, version):
    lines = joined(sending_of(FILES, version=version))
    status, said = capture(tmp_path, b"boot\r\n" + lines + b"PASS\r\n")
    assert status == 0 and said.count(", complete: ") == 3, said
    assert written(tmp_path) == {f"0001/{name}": content for name, content in FILES.items()}
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out/0001").iterdir()}
    assert capture(tmp_path, lines)[0] == 0
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "out/0001").iterdir()}


def test_what_is_missing_is_named_and_comes_with_the_second_sending(tmp_path):
    lines = sending_of(FILES)
    lost = {(1, 3), (1, 4), (1, 20), (2, 0)}
    first = joined([line for line in lines if line[:2] not in lost][:-1])
    status, said = capture(tmp_path, first)
    assert status == 1 and f"3 of {LINES} lines missing: 4-5, 21" in said, said
    assert f"1 of {JOURNAL_LINES} line missing: 1\n" in said
    assert "The log lacks the end of the run. Send" in said
    found = written(tmp_path)
    assert found == {"0001/results.csv.partial": begin_of("results.csv", 3),
                     "0001/run.json": FILES["run.json"]}
    second = joined([line for line in lines if line[:2] in lost or line[0] == 0])
    status, said = capture(tmp_path, first, second)
    assert status == 0, said
    assert written(tmp_path) == {f"0001/{name}": content for name, content in FILES.items()}


def test_a_later_log_that_lost_more_takes_nothing_back(tmp_path):
    lines = sending_of(FILES)
    first = joined([line for line in lines if line[:2] != (1, 20)])
    assert capture(tmp_path, first)[0] == 1
    before = written(tmp_path)
    status, said = capture(tmp_path, joined([line for line in lines if line[0] != 2 and
                                             line[:2] not in ((1, 3), (1, 20))]))
    begin = begin_of("results.csv", 20)
    assert status == 1, said
    assert f"missing: 4, 21; its beginning, of {len(begin):,} bytes, is in" in said, said
    assert "journal.bin         3,000 bytes, complete" in said, said  # from the first call
    assert written(tmp_path) == before


def test_runs_of_one_number_do_not_share_a_folder(tmp_path):
    other = {name: content[::-1] for name, content in FILES.items()}
    logs = joined(sending_of(FILES)) + joined(sending_of(other, run_id="f" * 16))
    status, said = capture(tmp_path, logs)
    assert status == 0, said
    assert written(tmp_path) == {**{f"0001/{name}": FILES[name] for name in FILES},
                                 **{f"0001-2/{name}": other[name] for name in FILES}}


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "out/0001").mkdir(parents=True)
    (tmp_path / "out/0001/mine").write_bytes(b"mine")
    assert capture(tmp_path, joined(sending_of(FILES)))[0] == 0
    assert (tmp_path / "out/0001/mine").read_bytes() == b"mine"
    assert sorted(path.name for path in (tmp_path / "out/0001-2").iterdir()) == sorted(FILES)


def test_a_line_that_is_wrong_with_a_right_checksum(tmp_path):
    """The file's checksum detects what a line's checksum misses."""
    lines = sending_of(FILES)
    at = next(i for i, line in enumerate(lines) if line[:2] == (1, 7))
    ident = lines[0][2][3:13]
    wrong = (1, 7, frame(ident, 1, 7, b"x" * PIECE))
    status, said = capture(tmp_path, joined([*lines[:at], wrong, *lines[at + 1:]]))
    assert status == 1 and "the checksum of the file differs: not written" in said, said
    assert "0001/results.csv" not in written(tmp_path)
    status, said = capture(tmp_path, joined([*lines, wrong]))  # and next to the correct one
    assert status == 1 and f"1 of {LINES} lines missing: 8;" in said, said


def test_the_table_of_contents_is_lost(tmp_path):
    nameless = [line for line in sending_of(FILES) if line[:2] != (0, 2)]
    status, said = capture(tmp_path, joined(nameless))
    lost = f"file 2: its name and size are lost; {JOURNAL_LINES} line of it arrived"
    assert status == 1 and lost in said
    assert sorted(written(tmp_path)) == ["0001/results.csv", "0001/run.json"]
    headless = [line for line in sending_of(FILES) if line[:2] != (0, 0)]
    status, said = capture(tmp_path, joined(headless))
    assert status == 1 and "Run unknown, sending " in said, said


def test_nothing_in_it_and_nothing_to_read(tmp_path):
    assert capture(tmp_path, b"PASS\r\n")[0] == 3
    status, said = capture(tmp_path, b"@BC3:01234567:1:00000:aaaa:01234567\r\n")
    assert status == 3 and "newer version" in said
    done = subprocess.run([TOP / "scripts/capture", tmp_path / "absent"], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 4 and "absent" in done.stderr
