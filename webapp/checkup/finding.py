from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

Verdict: TypeAlias = Literal["well", "doubtful", "wrong"]


class Finding(msgspec.Struct, frozen=True):
    """What was found of one thing, and what would be right where it is not."""

    verdict: Verdict
    words: str
    remedy: str = ""


Findings: TypeAlias = Iterator[Finding]


def well(words: str) -> Finding:
    return Finding("well", words)


def doubtful(words: str, remedy: str) -> Finding:
    return Finding("doubtful", words, remedy)


def wrong(words: str, remedy: str) -> Finding:
    return Finding("wrong", words, remedy)
