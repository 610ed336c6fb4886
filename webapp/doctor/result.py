"""The result of one check of `lodepost doctor`."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

Status: TypeAlias = Literal["ok", "warning", "error"]


class CheckResult(msgspec.Struct, frozen=True):
    """What a check found, and what to do about it unless it is ok."""

    status: Status
    message: str
    remedy: str = ""


CheckResults: TypeAlias = Iterator[CheckResult]


def ok(message: str) -> CheckResult:
    return CheckResult("ok", message)


def warning(message: str, remedy: str) -> CheckResult:
    return CheckResult("warning", message, remedy)


def error(message: str, remedy: str) -> CheckResult:
    return CheckResult("error", message, remedy)
