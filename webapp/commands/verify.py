"""`lodepost verify`: check every deal and every turn of a finished game, offline."""

import argparse
import re
from pathlib import Path
from typing import Final

from engine.record import SHORT_HEAD_DIGITS
from engine.verification import VerificationReport, verify_record
from webapp.commands.game_file import read_game_file
from webapp.kernel.i18n import N_, Language, language_for
from webapp.wording.game_files import (
    fingerprint_lines,
    flaw_sentence,
    report_sentences,
    shown_head_sentences,
)
from webapp.wording.terminal import printable_line

_HEAD_PATTERN: Final = re.compile(f"[0-9a-f]{{{SHORT_HEAD_DIGITS},64}}")
_WRONG, _UNFINISHED = 1, 3
_LIMIT: Final = N_(
    "Who acted is the server's word: no file can prove who sat in a seat, or whether a player, a bot or the clock took a turn."
)
_HINT: Final = N_(
    "Whether this is the game that was played shows only in a fingerprint from one of your emails: add --head FINGERPRINT."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a .game file")
    parser.add_argument(
        "--head",
        metavar="FINGERPRINT",
        action="append",
        default=[],
        type=_parse_head,
        dest="heads",
        help="a fingerprint of the turns from one of your emails, in quotation marks; may be repeated",
    )
    parser.epilog = (
        "Exit status: 0 everything is correct, 1 something is not, 2 the file cannot be read, "
        "3 everything is correct so far but the game was not finished. A whole game can be invented after the fact: only a "
        "fingerprint from an email proves that this is the game that was played."
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the game and print the findings; return 1 if something is wrong, and 3 if the game was not finished."""
    language = language_for(None)
    record = read_game_file(arguments.file, language)
    report = verify_record(record, shown_heads=arguments.heads)
    lines = [
        *fingerprint_lines(record, report, language),
        *report_sentences(report, language),
        *shown_head_sentences(report, arguments.heads, language),
        *_verdict_lines(report, has_shown_heads=bool(arguments.heads), language=language),
    ]
    print("\n".join(map(printable_line, lines)))
    return _exit_status(report)


def _exit_status(report: VerificationReport) -> int:
    if not report.is_sound:
        return _WRONG
    return 0 if report.is_finished else _UNFINISHED


def _parse_head(text: str) -> str:
    """Return the digits of a fingerprint as an email shows it."""
    digits = re.sub(r"[\s-]", "", text).lower()
    if _HEAD_PATTERN.fullmatch(digits) is None:
        raise argparse.ArgumentTypeError(
            f"a fingerprint has {SHORT_HEAD_DIGITS} to 64 hexadecimal digits"
        )
    return digits


def _verdict_lines(
    report: VerificationReport, *, has_shown_heads: bool, language: Language
) -> list[str]:
    verdict = (
        language.gettext("Everything that was checked is correct.")
        if report.is_sound
        else language.gettext("These things are wrong:")
    )
    flaws = [f"  - {flaw_sentence(flaw, language)}" for flaw in report.flaws]
    hints = () if has_shown_heads else (language.gettext(_HINT),)
    return [language.gettext(_LIMIT), *hints, verdict, *flaws]
