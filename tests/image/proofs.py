# SPDX-License-Identifier: BSD-2-Clause
"""The prover's counts for kernels, kept in build/ for all tests."""
import csv
import fcntl
import functools
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess

from machine import qemu

KERNELS_BIN = qemu.TOP / "build/kernels.bin"
PROVER = qemu.TOP / "build/prove_kernels"
FOLDER = qemu.TOP / "build/test/proofs"
CPUS = pathlib.Path("/proc/cpuinfo")
PROVER_S = 600  # the prover takes seconds on an idle host


def _question(names, n):
    libraries = subprocess.run(["ldd", PROVER], capture_output=True, check=True, text=True).stdout
    files = [PROVER, KERNELS_BIN, *re.findall(r"=> (/\S+)", libraries)]
    cpus = re.findall(r"^(?:model name|flags)\s*:.*", CPUS.read_text("ascii"), re.M)
    return json.dumps([names, n, sorted(set(cpus)),
                       [hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()
                        for file in files]])


def _sum_of(question, answer):
    return hashlib.sha256(f"{question}\n{answer}".encode()).hexdigest()


def _kept(path, question):
    try:
        total, _, answer = path.read_text("utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return answer if total == _sum_of(question, answer) else None


def _asked(names, n):
    done = subprocess.run([PROVER, "--csv", "--kernels", ",".join(names), "--n", str(n),
                           KERNELS_BIN], capture_output=True, text=True, timeout=PROVER_S)
    counted = {row.pop("kernel"): {count: int(number) for count, number in row.items()
                                   if count != "n" and number}
               for row in csv.DictReader(io.StringIO(done.stdout))}
    assert counted.keys() == set(names), f"not proved: {set(names) - counted.keys()}\n{done.stderr}"
    return json.dumps(counted), done.returncode == 0


@functools.cache
def proved(names, n):
    """{kernel: {count: number}} for a tuple of kernels at n. Callers must not change the result."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    question = _question(names, n)
    path = FOLDER / hashlib.sha256(question.encode()).hexdigest()
    with open(path.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # only one process proves at a time
        answer = _kept(path, question)
        if answer is None:
            answer, as_declared = _asked(names, n)
            if as_declared and question == _question(names, n):
                new = path.with_suffix(".new")
                new.write_text(f"{_sum_of(question, answer)}\n{answer}", "utf-8")
                os.replace(new, path)
    return json.loads(answer)
