"""After the deal an invitation shows nothing to those who may not see the game, and leads all others there."""

import pytest
from sqlalchemy import select

from tests.support.cast import DAVE
from tests.support.factories import Guest, deal_game, sign_in_guest
from tests.support.late_games import make_public
from tests.support.statements import recorded_statements
from tests.support.transactions import KEYS, read_only, transaction
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Database
from webapp.lobby.invitations import (
    StartedGame,
    accept_invitation,
    invitation_page,
    invitation_token,
)
from webapp.lobby.schema import Invitation


def _table_link(database: Database) -> str:
    with read_only(database) as tx:
        return invitation_token(tx.execute(select(Invitation.nonce)).scalar_one(), KEYS)


def _accept(database: Database, token: str, guest: Guest) -> str:
    with transaction(database) as tx:
        return accept_invitation(tx, token, guest.person)


def test_invitation_is_unknown_to_strangers_after_the_deal(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests)
    with pytest.raises(NotFound):
        _accept(database, _table_link(database), sign_in_guest(database, DAVE))
    assert _accept(database, _table_link(database), guests[0]) == slug


def test_unknown_invitation_takes_the_statements_of_one_to_a_private_game(
    database: Database, guests: list[Guest]
) -> None:
    deal_game(database, guests)
    dave = sign_in_guest(database, DAVE)

    def statements_of(token: str) -> list[str]:
        with (
            recorded_statements(database) as statements,
            read_only(database) as tx,
            pytest.raises(NotFound),
        ):
            invitation_page(tx, token, dave.cookie)
        return statements

    assert statements_of(_table_link(database)) == statements_of("unknown")


def test_invitation_to_a_public_game_leads_everyone_there(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests)
    make_public(database, slug)
    for viewer in (None, sign_in_guest(database, DAVE).cookie):
        with read_only(database) as tx:
            page = invitation_page(tx, _table_link(database), viewer)
        assert page == StartedGame(slug)
