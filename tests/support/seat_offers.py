"""Offers of seats in tests: offered as the page of the act does it, and the tokens of their links."""

import itertools
from datetime import datetime

from sqlalchemy import select

from tests.support.acts import perform_act
from tests.support.factories import Guest
from tests.support.transactions import KEYS, NOON, seeded_tokens, transaction
from webapp.kernel.keyring import NewLink, TokenSource
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.offered_seats import accept_seat_offer, new_offer_link, seat_offer_token
from webapp.lobby.schema import SeatOffer

_numbers = itertools.count(1)


def new_link() -> NewLink:
    return new_offer_link(TokenSource(KEYS, seeded_tokens(f"offer {next(_numbers)}")))


def offer_seat(
    database: Database,
    slug: str,
    *,
    by: Guest | None = None,
    seat: int = 1,
    now: datetime = NOON,
    **recipient_fields: str,
) -> str:
    """Offer an open seat and return the token of its link; without a name and an address it is a link to share."""
    link = new_link()
    perform_act(
        database,
        slug,
        GameRight.OFFER_SEAT,
        by=by,
        seat=seat,
        now=now,
        link=link,
        **recipient_fields,
    )
    return seat_offer_token(link.nonce, KEYS)


def open_and_offer(
    database: Database,
    slug: str,
    *,
    by: Guest | None = None,
    now: datetime = NOON,
    **recipient_fields: str,
) -> str:
    """Open Bob's seat, the second one, and offer it; return the token of the link."""
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=1, now=now)
    return offer_seat(database, slug, by=by, now=now, **recipient_fields)


def accept_offered_seat(
    database: Database, token: str, guest: Guest, *, now: datetime = NOON, name: str = ""
) -> str:
    with transaction(database, now) as tx:
        return accept_seat_offer(tx, token, guest.person, name=name)


def offer_outcomes(database: Database) -> list[str | None]:
    """Return how each offer ended, oldest first."""
    with transaction(database) as tx:
        return list(tx.connection.scalars(select(SeatOffer.ended_as).order_by(SeatOffer.id)))
