"""`lodepost audit`: check every game against its log."""

import argparse

from webapp.commands.database import add_data_option, open_database, settings_for
from webapp.commands.messages import inconsistency_list
from webapp.operations.consistency import InspectionResult, inspect_database


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_data_option(parser)
    parser.epilog = (
        "Safe to run while people play. Exit status: 0 no inconsistency, 1 inconsistencies found, "
        "2 the database could not be checked."
    )


def run(arguments: argparse.Namespace) -> int:
    """Check all games and print the result; return 1 if there are inconsistencies."""
    with open_database(settings_for(arguments)) as url:
        result = inspect_database(url)
    print(_report_text(result))
    return 1 if result.inconsistencies else 0


def _report_text(result: InspectionResult) -> str:
    count_sentence = f"Checked {result.games} games with {result.turns} turns."
    if not result.inconsistencies:
        return f"{count_sentence} No inconsistencies."
    return f"{count_sentence} Inconsistencies:\n{inconsistency_list(result.inconsistencies)}"
