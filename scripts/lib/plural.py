# SPDX-License-Identifier: BSD-2-Clause
"""Nouns after numbers."""


def noun(number, word):
    """The noun in the form that the number needs: row, rows."""
    return word if number == 1 else f"{word}s"


def counted(number, word):
    """A number with its noun: 1 row, 2 rows."""
    return f"{number} {noun(number, word)}"
