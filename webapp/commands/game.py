"""`lodepost game`: what moderators do to a game, for the operator."""

import argparse
from datetime import timedelta
from typing import Final

from webapp.commands.acting import add_act_options, run_act
from webapp.rights import GameRight
from webapp.services.play.public_change import ChangeInput

_MAX_AMOUNT: Final = 1000
_RIGHT_AND_HELP_BY_ACTION: Final = {
    "extend": (GameRight.EXTEND, "move the deadline of the present turn"),
    "pause": (GameRight.PAUSE, "stop the clock; no one can play until the game is resumed"),
    "resume": (GameRight.RESUME, "let the clock run again, with the time that was left"),
    "neutral": (GameRight.PLAY_NEUTRAL, "play the present turn as if time had run out"),
    "nudge": (GameRight.NUDGE, "send the player on turn another reminder"),
    "rewind": (GameRight.REWIND, "go back to where the game stood after an earlier turn"),
    "cancel": (GameRight.CANCEL_GAME, "end the game for good, without a winner"),
    "announce": (GameRight.ANNOUNCE_TO_TABLE, "send the reason as a message to the whole table"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (_, summary) in _RIGHT_AND_HELP_BY_ACTION.items():
        action = actions.add_parser(name, help=summary, description=summary)
        action.add_argument("slug", metavar="SLUG", help="the game: the last part of its address")
        if name == "extend":
            action.add_argument("--days", metavar="N", type=_parse_amount, default=0)
            action.add_argument("--hours", metavar="N", type=_parse_amount, default=0)
        if name == "rewind":
            action.add_argument(
                "--to", metavar="N", type=int, required=True, help="the last turn that stays"
            )
        add_act_options(action)


def run(arguments: argparse.Namespace) -> int:
    """Perform the act and print what it changed."""
    act, _ = _RIGHT_AND_HELP_BY_ACTION[arguments.action]
    return run_act(arguments, act, _change_input(arguments))


def _change_input(arguments: argparse.Namespace) -> ChangeInput:
    if arguments.action == "extend":
        return ChangeInput(extra=timedelta(days=arguments.days, hours=arguments.hours))
    if arguments.action == "rewind":
        return ChangeInput(turn=arguments.to)
    return ChangeInput()


def _parse_amount(argument: str) -> int:
    if not (argument.isascii() and argument.isdigit() and int(argument) <= _MAX_AMOUNT):
        raise argparse.ArgumentTypeError(f"expected a number up to {_MAX_AMOUNT}, not {argument!r}")
    return int(argument)
