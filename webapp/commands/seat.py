"""`lodepost seat`: who sits in a seat of a dealt game, for the operator."""

import argparse
import secrets
from typing import Final

from webapp import urls
from webapp.bot_levels import OFFERED_LEVELS, USUAL_LEVEL
from webapp.commands.database import settings_for
from webapp.commands.game_acts import add_act_options, run_act
from webapp.key_file import with_stored_keys
from webapp.rights import GameRight
from webapp.services.keys import TokenSource, keyring_for
from webapp.services.lobby.seat_offers import new_offer_link, seat_offer_token
from webapp.services.play.public_change import ChangeInput

_ACTIONS: Final = {
    "open": (GameRight.OPEN_SEAT, "free the seat of a player who has left"),
    "offer": (
        GameRight.OFFER_SEAT,
        "offer the seat to a person, who gets an email; without --name and --address print a link to share",
    ),
    "withdraw": (GameRight.WITHDRAW_OFFER, "withdraw the offer of the seat"),
    "person": (
        GameRight.SEAT_PERSON,
        "seat someone at once, WITHOUT asking them: first make sure that they agree",
    ),
    "bot": (GameRight.SEAT_BOT, "let a bot take over the seat"),
    "rename": (GameRight.RENAME_SEAT, "give the player in the seat another name in this game"),
    "host": (GameRight.HAND_OVER_TABLE, "make the player in the seat the host of the table"),
}
_ACTIONS_REQUIRING_NAME: Final = frozenset({"person", "rename"})
_OFFER_ACTION: Final = "offer"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (_, summary) in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary)
        action.add_argument("slug", metavar="SLUG", help="the game: the last part of its address")
        action.add_argument(
            "seat", metavar="SEAT", type=int, help="the number of the seat, counted from 1"
        )
        if name in _ACTIONS_REQUIRING_NAME:
            action.add_argument("--name", metavar="NAME", required=True)
        if name == "bot":
            action.add_argument(
                "--level",
                metavar="LEVEL",
                choices=OFFERED_LEVELS,
                default=USUAL_LEVEL,
                help=f"how it plays: {', '.join(OFFERED_LEVELS)} (default: {USUAL_LEVEL})",
            )
        if name == _OFFER_ACTION:
            action.add_argument("--name", metavar="NAME", default="")
            action.add_argument("--address", metavar="ADDRESS", default="")
        if name == "person":
            action.add_argument("--address", metavar="ADDRESS", required=True)
        add_act_options(action)


def run(arguments: argparse.Namespace) -> int:
    """Perform the act and print what it changed."""
    act, _ = _ACTIONS[arguments.action]
    if arguments.action == _OFFER_ACTION:
        return _offer_seat(arguments, act)
    change_input = ChangeInput(
        seat=arguments.seat - 1,
        name=getattr(arguments, "name", ""),
        address=getattr(arguments, "address", ""),
        bot_level=getattr(arguments, "level", USUAL_LEVEL),
    )
    return run_act(arguments, act, change_input)


def _offer_seat(arguments: argparse.Namespace, act: GameRight) -> int:
    """Offer the seat, and print the link if it is for no one in particular."""
    settings = with_stored_keys(settings_for(arguments))
    keys = keyring_for(settings)
    link = new_offer_link(TokenSource(keys, secrets.token_bytes))
    change_input = ChangeInput(
        seat=arguments.seat - 1, name=arguments.name, address=arguments.address, link=link
    )
    status = run_act(arguments, act, change_input)
    if not (arguments.name or arguments.address or arguments.dry_run):
        path = urls.seat_offer(seat_offer_token(link.nonce, keys))
        print(urls.absolute_url(settings.base_url, path))
    return status
