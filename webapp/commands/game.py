"""`lodepost game`: what moderators do to a game, for the operator."""

import argparse
from typing import Final

from webapp.commands.game_acts import (
    ChosenAct,
    add_act_options,
    add_acts,
    add_slug,
    run_act,
    run_chosen_act,
)
from webapp.kernel.tx import Tx
from webapp.moderation.performing import newest_act
from webapp.play.changes.acts import ActInput

_UNDO_ACTION: Final = "undo"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add_acts(actions.add_parser, "game")
    summary = "undo the newest act on the game"
    undo = actions.add_parser(_UNDO_ACTION, help=summary, description=summary)
    add_slug(undo)
    add_act_options(undo)


def run(arguments: argparse.Namespace) -> int:
    """Perform the act and print what it changed."""
    if arguments.action == _UNDO_ACTION:
        return run_chosen_act(arguments, lambda tx: _undone_act(tx, arguments))
    return run_act(arguments, "game")


def _undone_act(tx: Tx, arguments: argparse.Namespace) -> ChosenAct:
    entry = newest_act(tx, arguments.slug)
    return ChosenAct(entry.act, ActInput(), undone_entry_id=entry.id)
