"""`lodepost game`: what moderators do to a game, for the operator."""

import argparse
from datetime import timedelta
from typing import Final

from webapp.commands.game_acts import ChosenAct, add_act_options, run_act, run_chosen_act
from webapp.rights import GameRight
from webapp.services.moderation.newest_act_of_game import newest_act, newest_unsent_email
from webapp.services.play.public_change import ChangeInput
from webapp.services.tx import Tx

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
    "resend": (GameRight.RESEND_EMAIL, "send the newest email again that could not be delivered"),
}
_UNDO_ACTION: Final = "undo"


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
    summary = "undo the newest act on the game"
    undo = actions.add_parser(_UNDO_ACTION, help=summary, description=summary)
    undo.add_argument("slug", metavar="SLUG", help="the game: the last part of its address")
    add_act_options(undo)


def run(arguments: argparse.Namespace) -> int:
    """Perform the act and print what it changed."""
    if arguments.action in {"resend", _UNDO_ACTION}:
        return run_chosen_act(arguments, lambda tx: _newest_act(tx, arguments))
    act, _ = _RIGHT_AND_HELP_BY_ACTION[arguments.action]
    return run_act(arguments, act, _change_input(arguments))


def _newest_act(tx: Tx, arguments: argparse.Namespace) -> ChosenAct:
    """Return the undoing of the newest act, or the sending of the newest email that was given up."""
    if arguments.action == _UNDO_ACTION:
        entry = newest_act(tx, arguments.slug)
        return ChosenAct(entry.act, ChangeInput(), undone_entry_id=entry.id)
    email_id = newest_unsent_email(tx, arguments.slug)
    return ChosenAct(GameRight.RESEND_EMAIL, ChangeInput(email_id=email_id))


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
