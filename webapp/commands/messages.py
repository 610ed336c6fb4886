"""Text that several commands read and print: ages, errors, refusals, and what a consistency check found."""

import argparse
import re
import sys
from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from webapp.kernel.i18n import DEFAULT_LANGUAGE, Locale, language_for
from webapp.kernel.refusals import FieldError, FieldErrors, NotAllowed
from webapp.kernel.system_time import utc_now
from webapp.wording.error_messages import field_sentence, refused_sentence
from webapp.wording.terminal import printable_lines

if TYPE_CHECKING:
    # `lodepost verify` must not load a database driver.
    from webapp.operations.consistency import Inconsistency, InconsistencyKind

_HOURS_BY_UNIT: Final = {"m": 1 / 60, "h": 1, "d": 24}
_INCONSISTENCY_TEXTS: "Final[dict[InconsistencyKind, str]]" = {
    "no-secrets": "the secrets of its deals are missing",
    "commitments": "its secrets do not match its published commitments",
    "log-has-gaps": "its log is not numbered from turn 0 to its current turn",
    "log-unreadable": "this release cannot read its log",
    "log-impossible": "its log contains an event that is impossible at that point",
    "chain-differs": "its turns differ from the fingerprints that players were shown",
    "snapshot-missing": "its stored position is missing",
    "snapshot-unreadable": "its stored position cannot be read",
    "snapshot-differs": "its stored position differs from the one its log leads to",
    "head-differs": "its stored fingerprint of the turns differs from the one of its last turn",
    "awaiting-differs": "it waits for a different seat from the one its log says",
    "round-differs": "its stored round differs from its log",
    "status-differs": "its stored status differs from its log",
    "result-differs": "its stored result differs from the one its log leads to",
    "stray-turns": "there are turns that belong to no game",
}


def print_error(command: str, message: str) -> int:
    """Print why a command did nothing, and return exit status 2. File names in it may contain control characters."""
    print(f"lodepost {command}: {printable_lines(message)}", file=sys.stderr)
    return 2


def refusal_text(refusal: FieldErrors | NotAllowed) -> str:
    """Return why something was refused, with one line for each field."""
    if isinstance(refusal, NotAllowed):
        english = language_for(DEFAULT_LANGUAGE)
        return refused_sentence(refusal, Locale(english, ZoneInfo("UTC"), utc_now()))
    return "\n".join(
        f"{error.field.capitalize()}: {error_sentence(error)}" for error in refusal.errors
    )


def error_sentence(error: FieldError) -> str:
    """Return what is wrong with one field, without its name."""
    return field_sentence(error, language_for(DEFAULT_LANGUAGE))


def inconsistency_list(inconsistencies: Iterable["Inconsistency"]) -> str:
    """Return one line for each inconsistency."""
    return "\n".join(
        f"  - {f'game {inconsistency.slug}' if inconsistency.slug else 'all logs'}: {_INCONSISTENCY_TEXTS[inconsistency.kind]}"
        for inconsistency in inconsistencies
    )


def parse_age(argument: str) -> timedelta:
    """Return the length of time that was typed. Raises ArgumentTypeError."""
    found = re.fullmatch(r"(\d{1,4})([mhd])", argument, re.ASCII)
    if not found:
        raise argparse.ArgumentTypeError(
            f"expected an age such as 30m, 12h or 7d, not {argument!r}"
        )
    return timedelta(hours=int(found[1]) * _HOURS_BY_UNIT[found[2]])
