"""Fingerprints as people compare them: hexadecimal digits in groups."""

import re

from engine.turn_chain import SHORT_HEAD_DIGITS


def grouped_digits(digits: str) -> str:
    """Return hexadecimal digits in groups of four, which are easier to compare."""
    return " ".join(re.findall(".{1,4}", digits))


def short_head(head: str) -> str:
    """Return the beginning of a head, long enough that no one can make another game with the same."""
    return grouped_digits(head[:SHORT_HEAD_DIGITS])
