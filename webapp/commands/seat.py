"""`lodepost seat`: who sits in a seat of a dealt game, for the operator."""

import argparse
from typing import Final

from webapp.bot_levels import OFFERED_LEVELS, USUAL_LEVEL
from webapp.commands.acting import add_act_options, run_act
from webapp.rights import GameRight
from webapp.services.play.public_change import ChangeInput

_ACTIONS: Final = {
    "open": (GameRight.OPEN_SEAT, "free the seat of a player who has left"),
    "person": (GameRight.SEAT_PERSON, "give the seat to someone who has an account"),
    "bot": (GameRight.SEAT_BOT, "let a bot take over the seat"),
    "rename": (GameRight.RENAME_SEAT, "give the player in the seat another name in this game"),
}
_NAMED_ACTIONS: Final = frozenset({"person", "rename"})


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (_, summary) in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary)
        action.add_argument("slug", metavar="SLUG", help="the game: the last part of its address")
        action.add_argument(
            "seat", metavar="SEAT", type=int, help="the number of the seat, counted from 1"
        )
        if name in _NAMED_ACTIONS:
            action.add_argument("--name", metavar="NAME", required=True)
        if name == "bot":
            action.add_argument(
                "--level",
                metavar="LEVEL",
                choices=OFFERED_LEVELS,
                default=USUAL_LEVEL,
                help=f"how it plays: {', '.join(OFFERED_LEVELS)} (default: {USUAL_LEVEL})",
            )
        if name == "person":
            action.add_argument("--address", metavar="ADDRESS", required=True)
        add_act_options(action)


def run(arguments: argparse.Namespace) -> int:
    """Perform the act and print what it changed."""
    act, _ = _ACTIONS[arguments.action]
    change_input = ChangeInput(
        seat=arguments.seat - 1,
        name=getattr(arguments, "name", ""),
        address=getattr(arguments, "address", ""),
        bot_level=getattr(arguments, "level", USUAL_LEVEL),
    )
    return run_act(arguments, act, change_input)
