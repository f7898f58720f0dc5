# SPDX-License-Identifier: BSD-2-Clause
"""Each kernel declares the CPU features that its instructions need, and no others.

llvm-mc disassembles the kernels. GNU as must accept the instructions if the declared features are
enabled. If any one of these features is left out, GNU as must refuse the instructions. A feature
that another declared feature implies is not left out.
"""
import re
import struct
import subprocess

import kernel_code

FEATURES_AT = 64  # in struct kernel_record
# Features that the assembler names differently from kernels/kernel.h.
NAMES = {"sse4_1": "sse4.1", "sse4_2": "sse4.2", "bmi1": "bmi", "pclmulqdq": "pclmul",
         "rdrand": "rdrnd", "prefetchw": "prfchw", "avx512_ifma": "avx512ifma",
         "avx512_vbmi": "avx512vbmi"}
# Features that imply AVX or AVX-512F in the assembler.
WITH_AVX = re.compile(r"avx.+|fma|f16c|vaes|vpclmulqdq")
WITH_AVX512F = re.compile(r"avx512(?!f$).+")


def features(record):
    header = (kernel_code.TOP / "kernels/kernel.h").read_text("utf-8")
    listed = re.findall(r'X\((\d+), \w+, "(\w+)"\)', header)
    bits, = struct.unpack_from("<Q", record, FEATURES_AT)
    return [name for bit, name in listed if bits >> int(bit) & 1]


def refused(blocks):
    """{index of a block that the assembler refuses: error}; a block is (features, instructions)."""
    lines, of = [".intel_syntax noprefix"], [None]
    for number, (names, code) in enumerate(blocks):
        block = [".arch generic64", *(f".arch .{NAMES.get(name, name)}" for name in names), *code]
        lines += block
        of += [number] * len(block)
    told = subprocess.run(["as", "--64", "-o", "/dev/null", "-"], input="\n".join(lines) + "\n",
                          capture_output=True, text=True, check=False).stderr
    return {of[int(line) - 1]: f"{lines[int(line) - 1]}: {why}"
            for line, why in re.findall(r":(\d+): Error: (.*)", told)}


def is_implied(name, others):
    pattern = {"avx": WITH_AVX, "avx512f": WITH_AVX512F}.get(name)
    return pattern is not None and any(map(pattern.fullmatch, others))


def test_kernels_need_what_their_instructions_do():
    kernels = [(kernel.name, features(record), sorted(set(instructions)))
               for kernel, record, instructions in kernel_code.kernels()]
    blocks = [(needs, code) for _, needs, code in kernels]
    assert {kernels[number][0]: why for number, why in refused(blocks).items()} == {}
    less = [(name, one, [other for other in needs if other != one], code)
            for name, needs, code in kernels for one in needs
            if not is_implied(one, set(needs) - {one})]
    missed = refused([(needs, code) for *_, needs, code in less])
    assert len(less) > 300
    assert [(name, one) for number, (name, one, *_) in enumerate(less)
            if number not in missed] == []
