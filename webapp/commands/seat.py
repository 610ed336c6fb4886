"""`lodepost seat`: who sits in a seat of a dealt game, for the operator."""

import argparse
import secrets

from webapp.commands.database import settings_for
from webapp.commands.game_acts import add_acts, run_act
from webapp.kernel import urls
from webapp.kernel.keyring import NewLink, TokenSource, keyring_for
from webapp.kernel.keys import with_stored_keys
from webapp.lobby.offered_seats import new_offer_link, seat_offer_token


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add_acts(actions.add_parser, "seat")


def run(arguments: argparse.Namespace) -> int:
    """Perform the act and print what it changed; for an offer to no one in particular also its link."""
    addresses: list[str] = []

    def new_link() -> NewLink:
        settings = with_stored_keys(settings_for(arguments))
        keys = keyring_for(settings)
        link = new_offer_link(TokenSource(keys, secrets.token_bytes))
        path = urls.seat_offer(seat_offer_token(link.nonce, keys))
        addresses.append(urls.absolute_url(settings.base_url, path))
        return link

    status = run_act(arguments, "seat", new_link)
    if addresses and not (arguments.name or arguments.address or arguments.dry_run):
        print(addresses[0])
    return status
