# SPDX-License-Identifier: BSD-2-Clause
"""The singular or plural of a noun after a number."""


def noun(number, word):
    """The singular or plural that a number needs, such as `row` or `rows`."""
    return word if number == 1 else f"{word}s"


def counted(number, word):
    """A number and a noun, such as `1 row` or `2 rows`."""
    return f"{number} {noun(number, word)}"
