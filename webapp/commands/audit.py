"""`lodepost audit`: fold the log of every game and see whether it leads to what is stored beside it."""

import argparse

from webapp.commands.database import add_data_option, database_of, settings_for
from webapp.commands.inconsistencies import told
from webapp.commands.refuse import refuse
from webapp.services.operations.consistency import Away, Inspected, NotThisSchema, inspect


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add_data_option(parser)
    parser.epilog = "Exit status: 0 everything agrees, 1 something does not, 2 nobody could look."


def run(arguments: argparse.Namespace) -> int:
    """Look and print; players may go on meanwhile. 0: all agrees, 1: something does not, 2: nobody could look."""
    try:
        with database_of(settings_for(arguments)) as url:
            inspected = inspect(url)
    except (Away, NotThisSchema) as problem:
        return refuse("audit", str(problem))
    print(_words_of(inspected))
    return 1 if inspected.disagreements else 0


def _words_of(inspected: Inspected) -> str:
    looked = f"Games: {inspected.games}. Turns: {inspected.turns}."
    if not inspected.disagreements:
        return f"{looked} Every log leads to what is stored beside it."
    return f"{looked} This does not agree:\n{told(inspected.disagreements)}"
