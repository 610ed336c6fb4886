"""`lodepost verify`: check every deal and every turn of a finished game, offline."""

import argparse
from pathlib import Path

from engine.verification import VerificationReport, verify_record
from webapp.commands.game_file import read_game_file
from webapp.i18n import Language, language_for
from webapp.wording.verification_flaws import flaw_sentence, report_sentences


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a .game file")
    parser.epilog = (
        "Exit status: 0 everything is correct, 1 something is not, 2 the file cannot be read."
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the game and print the findings; return 1 if something is wrong."""
    language = language_for(None)
    report = verify_record(read_game_file(arguments.file, language))
    print(_report_text(report, language))
    return 0 if report.is_sound else 1


def _report_text(report: VerificationReport, language: Language) -> str:
    verdict = (
        language.gettext("Everything that was checked is correct.")
        if report.is_sound
        else language.gettext("These things are wrong:")
    )
    flaws = [f"  - {flaw_sentence(flaw, language)}" for flaw in report.flaws]
    return "\n".join([*report_sentences(report, language), verdict, *flaws])
