# SPDX-License-Identifier: BSD-2-Clause
"""The singular or plural of a noun after a number."""


def noun(number, word):
    return word if number == 1 else f"{word}s"


def counted(number, word):
    return f"{number} {noun(number, word)}"
