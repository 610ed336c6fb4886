"""`lodepost verify`: check every deal and every step of a finished game, offline."""

import argparse
from pathlib import Path

from engine.verification import VerificationReport, verify_record
from webapp.commands.game_file import Unusable, record_in
from webapp.commands.refuse import refuse
from webapp.i18n import Language, language_for
from webapp.wording.findings import finding_sentence, report_sentences


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a .game file")


def run(arguments: argparse.Namespace) -> int:
    """Print what was found; 0: everything is right, 1: something is not, 2: the file cannot be read."""
    language = language_for(None)
    try:
        record = record_in(arguments.file, language)
    except Unusable as problem:
        return refuse("verify", str(problem))
    report = verify_record(record)
    print(_told(report, language))
    return 0 if report.sound else 1


def _told(report: VerificationReport, language: Language) -> str:
    verdict = (
        language.gettext("Everything that was checked is right.")
        if report.sound
        else language.gettext("This is not right:")
    )
    findings = [f"  - {finding_sentence(finding, language)}" for finding in report.findings]
    return "\n".join([*report_sentences(report, language), verdict, *findings])
